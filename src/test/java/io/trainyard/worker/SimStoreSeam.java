package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.ForwardingStore;

/// A store that does what another does, for those who do some of it otherwise.
class SimStoreSeam extends ForwardingStore {
    SimStoreSeam(CheckpointStore real) {
        super(real);
    }
}
