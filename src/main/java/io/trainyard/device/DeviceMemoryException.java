package io.trainyard.device;

/// A device with less memory than a job needs. One with more may run it, so it is no fault of the job.
public final class DeviceMemoryException extends DeviceException {
    private static final long serialVersionUID = 1L;

    public DeviceMemoryException(String message) {
        super(message);
    }
}
