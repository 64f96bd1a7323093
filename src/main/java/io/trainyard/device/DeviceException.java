package io.trainyard.device;

/// A device is unavailable or cannot run a workload. The message has the problem, the reason and the solution.
public sealed class DeviceException extends RuntimeException
        permits DeviceBusyException, DeviceLostException, DeviceMemoryException, DevicePrecisionException {
    private static final long serialVersionUID = 1L;

    public DeviceException(String message) {
        super(message);
    }

    public DeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}
