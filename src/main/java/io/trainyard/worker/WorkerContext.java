package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.trace.Tracing;

/// The services of a worker.
record WorkerContext(
        WorkerRules rules,
        Host host,
        CheckpointStore store,
        EventPublisher publisher,
        FleetView fleet,
        Activity activity,
        Tracing tracing,
        ClaimPriorities order,
        ClaimGate gate) {}
