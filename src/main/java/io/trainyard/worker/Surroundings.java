package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.custody.ClaimOrder;
import io.trainyard.trace.Tracing;

/// What a worker works with.
///
/// @param store where attempts and checkpoints are
/// @param fleet what is known of the other workers
/// @param activity what it is doing, for all who want to know
/// @param tracing what it tells of spans
/// @param order in which it looks for jobs
/// @param gate whether it may claim
record Surroundings(
        WorkerRules rules,
        Host host,
        CheckpointStore store,
        EventPublisher publisher,
        FleetView fleet,
        Activity activity,
        Tracing tracing,
        ClaimOrder order,
        ClaimGate gate) {}
