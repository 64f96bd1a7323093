package io.trainyard.device;

/// A device that does not compute in the precision that a job asks for. Newer ones of its kind do, so it is no fault of
/// the job.
public final class DevicePrecisionException extends DeviceException {
    private static final long serialVersionUID = 1L;

    public DevicePrecisionException(String message) {
        super(message);
    }
}
