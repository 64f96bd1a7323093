package io.trainyard.training;

import io.trainyard.data.DataRoots;
import io.trainyard.device.Device;

/// Trains all jobs on a device that a test brings, whichever they name.
public final class OnDevice {
    private OnDevice() {}

    /// @param worker who runs them, as events tell it
    public static JobTraining training(DataRoots roots, Device device, String worker) {
        return new JobTraining(roots, _ -> device, 1, worker);
    }
}
