package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// A schedule whose rate changes between epochs only.
public sealed interface EpochSchedule extends ScheduleSpec {
    /// The learning rate of an epoch, from 0.
    double learningRate(double base, int epoch, int epochs);

    @Override
    default double[] learningRates(double base, int epoch, int stepsPerEpoch, int epochs) {
        double[] rates = new double[stepsPerEpoch];
        Arrays.fill(rates, learningRate(base, epoch, epochs));
        return rates;
    }

    /// The optimizer's own, always.
    record Constant() implements EpochSchedule {
        @Override
        public double learningRate(double base, int epoch, int epochs) {
            return base;
        }
    }

    /// Multiplied by `gamma` after every `stepSize` epochs: `StepLR`.
    record Step(int stepSize, double gamma) implements EpochSchedule {
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
    record MultiStep(List<Integer> milestones, double gamma) implements EpochSchedule {
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

    /// Multiplied by `gamma` after every epoch: `ExponentialLR`.
    record Exponential(double gamma) implements EpochSchedule {
        public Exponential {
            Check.within("schedule.gamma", gamma, 0, 1000);
        }

        @JsonCreator
        static Exponential read(@Nullable Double gamma) {
            return new Exponential(Check.present("schedule.gamma", gamma));
        }

        @Override
        public double learningRate(double base, int epoch, int epochs) {
            return base * StrictMath.pow(gamma, epoch);
        }
    }

    /// From the optimizer's own down towards 0 with the part of the epochs that is left, to the power of
    /// `power`: `PolynomialLR` with the job's epochs for its `total_iters`, so 0 would come after the last.
    record Polynomial(double power) implements EpochSchedule {
        public Polynomial {
            Check.between("schedule.power", power, 0.001, 1000);
        }

        /// `power` defaults to 1: a line.
        @JsonCreator
        static Polynomial read(@Nullable Double power) {
            return new Polynomial(power == null ? 1 : power);
        }

        @Override
        public double learningRate(double base, int epoch, int epochs) {
            return base * StrictMath.pow(1 - epoch / (double) epochs, power);
        }
    }

    /// From the optimizer's own down towards `minLearningRate` along half a cosine, epoch by epoch:
    /// `CosineAnnealingLR` with the job's epochs for its `T_max`, so the minimum would come after the last.
    record Cosine(double minLearningRate) implements EpochSchedule {
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
            return HalfCosine.between(base, minLearningRate, epoch / (double) epochs);
        }

        /// The learning rate of an epoch, to be multiplied by the factors of its steps, where another
        /// scheduler multiplies the optimizer's rate too. `CosineAnnealingLR` takes the rate that it finds
        /// part of the way to the minimum, and a rate that is still being warmed up is nearer to it, or
        /// below. So only with a minimum of 0 is this what the schedule alone gives.
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
            double part = HalfCosine.height(later / (double) epochs) / HalfCosine.height(epoch / (double) epochs);
            return minLearningRate + (rate - minLearningRate) * part;
        }
    }

    /// From the optimizer's own down towards `minLearningRate` along half a cosine in `periodEpochs` epochs,
    /// and again from the beginning, each time in `periodFactor` times as many:
    /// `CosineAnnealingWarmRestarts`.
    record CosineRestarts(int periodEpochs, int periodFactor, double minLearningRate) implements EpochSchedule {
        public CosineRestarts {
            Check.between("schedule.periodEpochs", periodEpochs, 1, MAX_EPOCHS);
            Check.between("schedule.periodFactor", periodFactor, 1, 1000);
            Check.within("schedule.minLearningRate", minLearningRate, 0, 1000);
        }

        /// `periodFactor` defaults to 1, `minLearningRate` to 0.
        @JsonCreator
        static CosineRestarts read(
                @Nullable Integer periodEpochs, @Nullable Integer periodFactor, @Nullable Double minLearningRate) {
            return new CosineRestarts(
                    Check.present("schedule.periodEpochs", periodEpochs),
                    periodFactor == null ? 1 : periodFactor,
                    minLearningRate == null ? 0 : minLearningRate);
        }

        @Override
        public double learningRate(double base, int epoch, int epochs) {
            long period = periodEpochs;
            long since = epoch; // the last restart
            if (periodFactor == 1) {
                since %= period;
            }
            while (since >= period) {
                since -= period;
                period *= periodFactor;
            }
            return HalfCosine.between(base, minLearningRate, since / (double) period);
        }
    }
}
