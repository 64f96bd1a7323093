package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;

/// What a worker works with.
///
/// @param store where attempts and checkpoints are
/// @param fleet what is known of the other workers
/// @param activity what it is doing, for all who want to know
record Surroundings(
        WorkerRules rules,
        Host host,
        CheckpointStore store,
        EventPublisher publisher,
        FleetView fleet,
        Activity activity) {}
