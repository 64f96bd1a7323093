package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;
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

    /// The learning rates of an epoch's steps: what the job says and the epoch alone decide them, so that an attempt
    /// that begins in the middle of a job has the bits of one that does not.
    ///
    /// @param base the optimizer's own learning rate
    /// @param epoch from 0
    /// @param epochs of the whole job
    double[] learningRates(double base, int epoch, int stepsPerEpoch, int epochs);

    /// A schedule whose rate changes between epochs only.
    sealed interface ByEpoch extends ScheduleSpec {
        /// The learning rate of an epoch, from 0.
        double learningRate(double base, int epoch, int epochs);

        @Override
        default double[] learningRates(double base, int epoch, int stepsPerEpoch, int epochs) {
            double[] rates = new double[stepsPerEpoch];
            Arrays.fill(rates, learningRate(base, epoch, epochs));
            return rates;
        }
    }

    /// The optimizer's own, always.
    record Constant() implements ByEpoch {
        @Override
        public double learningRate(double base, int epoch, int epochs) {
            return base;
        }
    }

    /// Multiplied by `gamma` after every `stepSize` epochs: `StepLR`.
    record Step(int stepSize, double gamma) implements ByEpoch {
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
        public double learningRate(double base, int epoch, int epochs) {
            return base * StrictMath.pow(gamma, epoch / stepSize);
        }
    }

    /// Multiplied by `gamma` after each number of epochs in `milestones`: `MultiStepLR`.
    record MultiStep(List<Integer> milestones, double gamma) implements ByEpoch {
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
        public double learningRate(double base, int epoch, int epochs) {
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
    record Cosine(double minLearningRate) implements ByEpoch {
        public Cosine {
            Check.within("schedule.minLearningRate", minLearningRate, 0, 1000);
        }

        /// `minLearningRate` defaults to 0.
        @JsonCreator
        static Cosine read(@Nullable Double minLearningRate) {
            return new Cosine(minLearningRate == null ? 0 : minLearningRate);
        }

        @Override
        public double learningRate(double base, int epoch, int epochs) {
            return anneal(base, minLearningRate, epoch / (double) epochs);
        }

        /// The learning rate of an epoch, to be multiplied by the factors of its steps, where another scheduler
        /// multiplies the optimizer's rate too. `CosineAnnealingLR` takes the rate that it finds part of the
        /// way to the minimum, and a rate that is still being warmed up is nearer to it, or below. So only with
        /// a minimum of 0 is this what the schedule alone gives.
        ///
        /// @param factor what the other multiplies an epoch's first step by; where it is 1 it remains so
        double learningRate(double base, int epoch, int epochs, IntToDoubleFunction factor) {
            double rate = base * factor.applyAsDouble(0); // of the epoch's first step
            int at = 0;
            while (at < epoch && factor.applyAsDouble(at) != 1) {
                double found = rate * (factor.applyAsDouble(at + 1) / factor.applyAsDouble(at));
                rate = towardsMinimum(found, at, at + 1, epochs);
                at++;
            }
            return towardsMinimum(rate, at, epoch, epochs) / factor.applyAsDouble(epoch);
        }

        /// From an epoch's rate to that of a later one.
        private double towardsMinimum(double rate, int epoch, int later, int epochs) {
            double part = height(later / (double) epochs) / height(epoch / (double) epochs);
            return minLearningRate + (rate - minLearningRate) * part;
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
        public double[] learningRates(double base, int epoch, int stepsPerEpoch, int epochs) {
            double[] rates = new double[stepsPerEpoch];
            Arrays.setAll(rates, i -> learningRate((long) epoch * stepsPerEpoch + i, stepsPerEpoch, epochs));
            return rates;
        }

        private double learningRate(long step, int stepsPerEpoch, int epochs) {
            double last = (double) epochs * stepsPerEpoch - 1;
            double top = pctStart * epochs * stepsPerEpoch - 1; // may lie between two steps, or before the first
            double first = maxLearningRate / divFactor;
            if (step <= top) {
                return anneal(first, maxLearningRate, top == 0 ? 1 : step / top);
            }
            return anneal(maxLearningRate, first / finalDivFactor, (step - top) / (last - top));
        }
    }

    /// The rates of `then`, with a factor that grows in a line from `startFactor` to 1 in the first `steps` steps
    /// of the job: `LinearLR`, stepped with each batch, and the scheduler of `then`, stepped after each epoch, on
    /// one optimizer. Each acts on the rate that it finds. For all but [Cosine] that is the product.
    ///
    /// `OneCycleLR` overwrites the rate in each step, so that beside it nothing would remain of `LinearLR` but its
    /// last step. Here the product stands for it too.
    ///
    /// Not `SequentialLR`, which begins `then` after the warmup: it counts both in one unit, but here one is in
    /// steps and the other in epochs, and milestones would no longer be the epochs that they name.
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
        public double[] learningRates(double base, int epoch, int stepsPerEpoch, int epochs) {
            double[] rates = ratesOfThen(base, epoch, stepsPerEpoch, epochs);
            Arrays.setAll(rates, i -> rates[i] * factor((long) epoch * stepsPerEpoch + i));
            return rates;
        }

        private double[] ratesOfThen(double base, int epoch, int stepsPerEpoch, int epochs) {
            double[] rates = then.learningRates(base, epoch, stepsPerEpoch, epochs);
            if (then instanceof Cosine cosine) {
                IntToDoubleFunction first = at -> factor((long) at * stepsPerEpoch);
                Arrays.fill(rates, cosine.learningRate(base, epoch, epochs, first));
            }
            return rates;
        }

        /// @param step in the whole job, from 0
        private double factor(long step) {
            return step < steps ? startFactor + (1 - startFactor) * step / steps : 1;
        }
    }

    /// Along half a cosine from `start` to `end`.
    ///
    /// @param part how much of the way is done, 0..1
    private static double anneal(double start, double end, double part) {
        return end + (start - end) * height(part) / 2;
    }

    /// Of half a cosine, from 2 down to 0.
    private static double height(double part) {
        return 1 + StrictMath.cos(Math.PI * part);
    }
}
