package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How the learning rate changes while a job trains, with the values of `torch.optim.lr_scheduler`.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = ScheduleSpec.Constant.class, name = "constant"),
    @JsonSubTypes.Type(value = ScheduleSpec.Step.class, name = "step"),
    @JsonSubTypes.Type(value = ScheduleSpec.MultiStep.class, name = "multiStep"),
    @JsonSubTypes.Type(value = ScheduleSpec.Cosine.class, name = "cosine"),
    @JsonSubTypes.Type(value = ScheduleSpec.OneCycle.class, name = "oneCycle"),
    @JsonSubTypes.Type(value = ScheduleSpec.Warmup.class, name = "warmup")
})
public sealed interface ScheduleSpec {
    ScheduleSpec CONSTANT = new Constant();

    int MAX_EPOCHS = 100_000;
    int MAX_STEPS = 1_000_000_000;

    /// The learning rate of one step.
    ///
    /// @param base the optimizer's own learning rate
    /// @param step in the whole job, from 0
    /// @param epochs of the whole job
    double learningRate(double base, long step, int stepsPerEpoch, int epochs);

    /// The learning rates of an epoch's steps.
    ///
    /// @param epoch from 0
    default double[] learningRates(double base, int epoch, int stepsPerEpoch, int epochs) {
        double[] rates = new double[stepsPerEpoch];
        for (int i = 0; i < stepsPerEpoch; i++) {
            rates[i] = learningRate(base, (long) epoch * stepsPerEpoch + i, stepsPerEpoch, epochs);
        }
        return rates;
    }

    /// The optimizer's own, always.
    record Constant() implements ScheduleSpec {
        @Override
        public double learningRate(double base, long step, int stepsPerEpoch, int epochs) {
            return base;
        }
    }

    /// Multiplied by `gamma` after every `stepSize` epochs: `StepLR`.
    record Step(int stepSize, double gamma) implements ScheduleSpec {
        public Step {
            Check.between("schedule.stepSize", stepSize, 1, MAX_EPOCHS);
            Check.within("schedule.gamma", gamma, 0, 1000);
        }

        /// `gamma` defaults to 0.1.
        @JsonCreator
        static Step read(@Nullable Integer stepSize, @Nullable Double gamma) {
            return new Step(Check.present("schedule.stepSize", stepSize), gamma == null ? 0.1 : gamma);
        }

        @Override
        public double learningRate(double base, long step, int stepsPerEpoch, int epochs) {
            return base * StrictMath.pow(gamma, step / stepsPerEpoch / stepSize);
        }
    }

    /// Multiplied by `gamma` after each number of epochs in `milestones`: `MultiStepLR`.
    record MultiStep(List<Integer> milestones, double gamma) implements ScheduleSpec {
        private static final int MAX_MILESTONES = 1000;

        public MultiStep {
            milestones = Check.complete("schedule.milestones", milestones);
            Check.between("the length of schedule.milestones", milestones.size(), 1, MAX_MILESTONES);
            int before = 0;
            for (int milestone : milestones) {
                Check.between("schedule.milestones", milestone, 1, MAX_EPOCHS);
                if (milestone <= before) {
                    throw new InvalidJobException(
                            "schedule.milestones has %d after %d; each must be larger than the one before"
                                    .formatted(milestone, before));
                }
                before = milestone;
            }
            Check.within("schedule.gamma", gamma, 0, 1000);
        }

        /// `gamma` defaults to 0.1.
        @JsonCreator
        static MultiStep read(@Nullable List<Integer> milestones, @Nullable Double gamma) {
            return new MultiStep(Check.present("schedule.milestones", milestones), gamma == null ? 0.1 : gamma);
        }

        @Override
        public double learningRate(double base, long step, int stepsPerEpoch, int epochs) {
            long epoch = step / stepsPerEpoch;
            return base
                    * StrictMath.pow(
                            gamma,
                            milestones.stream()
                                    .filter(milestone -> milestone <= epoch)
                                    .count());
        }
    }

    /// From the optimizer's own down towards `minLearningRate` along half a cosine, epoch by epoch:
    /// `CosineAnnealingLR` with the job's epochs for its `T_max`, so the minimum would come after the last.
    record Cosine(double minLearningRate) implements ScheduleSpec {
        public Cosine {
            Check.within("schedule.minLearningRate", minLearningRate, 0, 1000);
        }

        /// `minLearningRate` defaults to 0.
        @JsonCreator
        static Cosine read(@Nullable Double minLearningRate) {
            return new Cosine(minLearningRate == null ? 0 : minLearningRate);
        }

        @Override
        public double learningRate(double base, long step, int stepsPerEpoch, int epochs) {
            return anneal(base, minLearningRate, step / stepsPerEpoch / (double) epochs);
        }
    }

    /// Up from `maxLearningRate / divFactor` to `maxLearningRate` in the first `pctStart` of the job's steps,
    /// then down to the first rate divided by `finalDivFactor`, step by step, both along half a cosine:
    /// `OneCycleLR` with `cycle_momentum=False`. The optimizer's own learning rate has no part in it, and its
    /// momentum stays as it is.
    record OneCycle(double maxLearningRate, double pctStart, double divFactor, double finalDivFactor)
            implements ScheduleSpec {
        public OneCycle {
            Check.within("schedule.maxLearningRate", maxLearningRate, 0, 1000);
            Check.between("schedule.pctStart", pctStart, 0, 1);
            Check.within("schedule.divFactor", divFactor, 1e-6, 1e12);
            Check.within("schedule.finalDivFactor", finalDivFactor, 1e-6, 1e12);
        }

        /// The last three have PyTorch's defaults: 0.3, 25 and 10,000.
        @JsonCreator
        static OneCycle read(
                @Nullable Double maxLearningRate,
                @Nullable Double pctStart,
                @Nullable Double divFactor,
                @Nullable Double finalDivFactor) {
            return new OneCycle(
                    Check.present("schedule.maxLearningRate", maxLearningRate),
                    pctStart == null ? 0.3 : pctStart,
                    divFactor == null ? 25 : divFactor,
                    finalDivFactor == null ? 1e4 : finalDivFactor);
        }

        @Override
        public double learningRate(double base, long step, int stepsPerEpoch, int epochs) {
            double last = (double) epochs * stepsPerEpoch - 1;
            double top = pctStart * epochs * stepsPerEpoch - 1; // may lie between two steps, or before the first
            double first = maxLearningRate / divFactor;
            if (step <= top) {
                return anneal(first, maxLearningRate, top == 0 ? 1 : step / top);
            }
            return anneal(maxLearningRate, first / finalDivFactor, (step - top) / (last - top));
        }
    }

    /// The rates of `then`, multiplied in the first `steps` steps of the job by a factor that grows in a line
    /// from `startFactor` to 1: `LinearLR`, stepped with each batch, together with the scheduler of `then`.
    record Warmup(int steps, double startFactor, ScheduleSpec then) implements ScheduleSpec {
        public Warmup {
            Check.between("schedule.steps", steps, 1, MAX_STEPS);
            Check.between("schedule.startFactor", startFactor, 1e-9, 1);
            if (then instanceof Warmup) {
                throw new InvalidJobException(
                        "schedule.then is a warmup in a warmup; allowed is constant, cosine, multiStep, oneCycle, step");
            }
        }

        /// `startFactor` defaults to PyTorch's third, `then` to the constant schedule.
        @JsonCreator
        static Warmup read(@Nullable Integer steps, @Nullable Double startFactor, @Nullable ScheduleSpec then) {
            return new Warmup(
                    Check.present("schedule.steps", steps),
                    startFactor == null ? 1.0 / 3 : startFactor,
                    then == null ? CONSTANT : then);
        }

        @Override
        public double learningRate(double base, long step, int stepsPerEpoch, int epochs) {
            double factor = step < steps ? startFactor + (1 - startFactor) * step / steps : 1;
            return factor * then.learningRate(base, step, stepsPerEpoch, epochs);
        }
    }

    /// Along half a cosine from `start` to `end`.
    ///
    /// @param part how much of the way is done, 0..1
    private static double anneal(double start, double end, double part) {
        return end + (start - end) * (1 + StrictMath.cos(Math.PI * part)) / 2;
    }
}
