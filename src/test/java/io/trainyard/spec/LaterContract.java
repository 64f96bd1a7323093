package io.trainyard.spec;

import io.trainyard.spec.JobContract.Addition;
import java.util.List;

/// An additional schema version for tests, so that older workers meet newer commands.
public final class LaterContract implements JobContract.Later {
    @Override
    public List<Addition> additions() {
        return List.of(new Addition(2, "dataset", null, "split"));
    }
}
