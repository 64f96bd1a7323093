package io.trainyard.device;

/// A device that stopped working under a session. Opened anew it may work again: the job's history is not touched.
public final class DeviceLostException extends DeviceException {
    private static final long serialVersionUID = 1L;

    public DeviceLostException(String message) {
        super(message);
    }
}
