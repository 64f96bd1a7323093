package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/// How the learning rate changes while a job trains, with the values of `torch.optim.lr_scheduler`.
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
    ScheduleSpec CONSTANT = new EpochSchedule.Constant();

    int MAX_EPOCHS = 100_000;
    int MAX_STEPS = 1_000_000_000;

    /// The learning rates of an epoch's steps: what the job says and the epoch alone decide them, so that an attempt
    /// that begins in the middle of a job has the bits of one that does not.
    ///
    /// @param base the optimizer's own learning rate
    /// @param epoch from 0
    /// @param epochs of the whole job
    double[] learningRates(double base, int epoch, int stepsPerEpoch, int epochs);

    /// What takes the place of the optimizer's momentum in an epoch's steps, or of Adam's beta1; empty where
    /// that stays as it is.
    default double[] momenta(int epoch, int stepsPerEpoch, int epochs) {
        return new double[0];
    }

    /// Whether it has [#momenta].
    default boolean cyclesMomentum() {
        return false;
    }
}
