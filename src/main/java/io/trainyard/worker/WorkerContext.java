package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.trace.Tracing;

/// The services of a worker.
///
/// @param store has attempts and checkpoints
/// @param fleet the state of the fleet
/// @param activity of this worker
/// @param tracing publishes spans
/// @param order of priorities
/// @param gate decides whether it may claim
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
