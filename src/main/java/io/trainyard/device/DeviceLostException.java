package io.trainyard.device;

/// A device that stopped working under a session, and will not work again in this process. The job's history is not
/// touched: another process goes on with it.
public final class DeviceLostException extends DeviceException {
    private static final long serialVersionUID = 1L;

    public DeviceLostException(String message) {
        super(message);
    }
}
