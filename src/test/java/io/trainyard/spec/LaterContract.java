package io.trainyard.spec;

import io.trainyard.spec.JobSchemaVersion.Addition;
import java.util.List;

/// An additional schema version for tests, so that older workers meet newer commands.
public final class LaterContract implements JobSchemaVersion.Later {
    public static final int NUMBER = 3;

    @Override
    public List<Addition> additions() {
        return List.of(new Addition(NUMBER, "dataset", null, "split"));
    }
}
