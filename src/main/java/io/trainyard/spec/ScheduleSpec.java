package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/// The learning rate schedule, with the values of `torch.optim.lr_scheduler`.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = EpochSchedule.Constant.class, name = "constant"),
    @JsonSubTypes.Type(value = EpochSchedule.Step.class, name = "step"),
    @JsonSubTypes.Type(value = EpochSchedule.MultiStep.class, name = "multiStep"),
    @JsonSubTypes.Type(value = EpochSchedule.Exponential.class, name = "exponential"),
    @JsonSubTypes.Type(value = EpochSchedule.Polynomial.class, name = "polynomial"),
    @JsonSubTypes.Type(value = EpochSchedule.Cosine.class, name = "cosine"),
    @JsonSubTypes.Type(value = EpochSchedule.CosineRestarts.class, name = "cosineRestarts"),
    @JsonSubTypes.Type(value = OneCycleSchedule.class, name = "oneCycle"),
    @JsonSubTypes.Type(value = WarmupSchedule.class, name = "warmup")
})
public sealed interface ScheduleSpec permits EpochSchedule, OneCycleSchedule, WarmupSchedule {
    int MAX_EPOCHS = 100_000;
    int MAX_STEPS = 1_000_000_000;

    /// The learning rates of an epoch's steps. They depend only on the job and the epoch, so a resumed job
    /// computes the same bits.
    ///
    /// @param base the optimizer's own learning rate
    /// @param epoch from 0
    /// @param epochs of the whole job
    double[] learningRates(double base, int epoch, int stepsPerEpoch, int epochs);

    /// The momenta of an epoch's steps, which replace the optimizer's momentum or Adam's beta1; empty to keep it.
    default double[] momenta(int epoch, int stepsPerEpoch, int epochs) {
        return new double[0];
    }

    /// Whether it has [#momenta].
    default boolean cyclesMomentum() {
        return false;
    }
}
