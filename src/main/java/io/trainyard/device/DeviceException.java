package io.trainyard.device;

/// A device that is not there or cannot do what was asked. The message says what, why, and what to do.
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
