package io.trainyard.device.onednn;

/// One thing that a step does, over memories fixed beforehand.
interface Operation {
    void run();
}
