package io.trainyard.device;

/// The device has not enough memory next to the other jobs of this process. Neither the job nor the device is at
/// fault: the job may run there alone.
public final class DeviceBusyException extends DeviceException {
    private static final long serialVersionUID = 1L;

    public DeviceBusyException(String message) {
        super(message);
    }
}
