package io.trainyard.device;

/// A device with less memory than a job needs beside the jobs that this process has there. It is no fault of the job,
/// and
/// none of the device: alone it may run there.
public final class DeviceBusyException extends DeviceException {
    private static final long serialVersionUID = 1L;

    public DeviceBusyException(String message) {
        super(message);
    }
}
