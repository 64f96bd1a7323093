package io.trainyard.device.onednn;

/// One operation of a step on fixed memories.
interface Operation {
    void run();
}
