package io.trainyard.device;

/// The device has less memory than the job needs. The job is not at fault: a device with more memory may run it.
public final class DeviceMemoryException extends DeviceException {
    private static final long serialVersionUID = 1L;

    public DeviceMemoryException(String message) {
        super(message);
    }
}
