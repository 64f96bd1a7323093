package io.trainyard.spec;

import io.trainyard.spec.JobContract.Addition;
import java.util.List;

/// What tests let the next version add, so that older workers and newer commands meet.
public final class LaterContract implements JobContract.Later {
    @Override
    public List<Addition> additions() {
        return List.of(new Addition(2, "dataset", null, "split"));
    }
}
