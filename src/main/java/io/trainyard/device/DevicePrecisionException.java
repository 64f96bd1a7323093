package io.trainyard.device;

/// The device does not support the job's precision. The job is not at fault: newer devices of this kind support it.
public final class DevicePrecisionException extends DeviceException {
    private static final long serialVersionUID = 1L;

    public DevicePrecisionException(String message) {
        super(message);
    }
}
