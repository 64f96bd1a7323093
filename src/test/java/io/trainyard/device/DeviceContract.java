package io.trainyard.device;

/// What every device must do. A backend's test is a subclass that opens its device.
public abstract class DeviceContract
        implements NumbersContract, EvaluationContract, DeterminismContract, StateContract {
    /// Opened anew for each session.
    @Override
    public abstract Device device();
}
