package io.trainyard.device;

/// What sessions must do whatever layers they have kernels for.
public abstract class SessionContract
        implements EvaluationContract,
                DeterminismContract,
                StateContract,
                OptimizerContract,
                LossContract,
                LoopContract {
    @Override
    public abstract Device device();
}
