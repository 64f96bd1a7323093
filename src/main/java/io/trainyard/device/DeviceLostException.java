package io.trainyard.device;

/// A device failed during a session, and cannot be used again in this process. The job's state is not affected:
/// another process can resume it.
public final class DeviceLostException extends DeviceException {
    private static final long serialVersionUID = 1L;

    public DeviceLostException(String message) {
        super(message);
    }
}
