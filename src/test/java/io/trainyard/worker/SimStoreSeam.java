package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.ForwardingStore;

/// Forwards to another store; subclasses override parts of it.
class SimStoreSeam extends ForwardingStore {
    SimStoreSeam(CheckpointStore real) {
        super(real);
    }
}
