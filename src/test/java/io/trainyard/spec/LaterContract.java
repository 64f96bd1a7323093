package io.trainyard.spec;

import io.trainyard.spec.JobSchemaVersion.Addition;
import java.util.List;

/// An additional schema version for tests, so that older workers meet newer commands.
public final class LaterContract implements JobSchemaVersion.Later {
    @Override
    public List<Addition> additions() {
        return List.of(new Addition(2, "dataset", null, "split"));
    }
}
