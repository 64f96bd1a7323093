package io.trainyard.device.onednn;

interface Operation {
    void run();
}
