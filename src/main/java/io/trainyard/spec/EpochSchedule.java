package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Default;
import io.trainyard.spec.FieldDefaults.Required;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/// A schedule that changes the rate only between epochs.
public sealed interface EpochSchedule extends ScheduleSpec {
    /// The learning rate of an epoch, from 0.
    double learningRate(double base, int epoch, int epochs);

    @Override
    default double[] learningRates(double base, int epoch, int stepsPerEpoch, int epochs) {
        double[] rates = new double[stepsPerEpoch];
        Arrays.fill(rates, learningRate(base, epoch, epochs));
        return rates;
    }

    /// The optimizer's learning rate, unchanged.
    record Constant() implements EpochSchedule {
        @Override
        public double learningRate(double base, int epoch, int epochs) {
            return base;
        }
    }

    /// Multiplied by `gamma` after every `stepSize` epochs: `StepLR`.
    record Step(
            @Required("schedule.stepSize") int stepSize,
            @Default("0.1") double gamma) implements EpochSchedule {
        public Step {
            Check.between("schedule.stepSize", stepSize, 1, MAX_EPOCHS);
            Check.within("schedule.gamma", gamma, 0, 1000);
        }

        @Override
        public double learningRate(double base, int epoch, int epochs) {
            return base * StrictMath.pow(gamma, epoch / stepSize);
        }
    }

    /// Multiplied by `gamma` after each number of epochs in `milestones`: `MultiStepLR`.
    record MultiStep(
            @Required("schedule.milestones") List<Integer> milestones,
            @Default("0.1") double gamma) implements EpochSchedule {
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
    record Exponential(@Required("schedule.gamma") double gamma) implements EpochSchedule {
        public Exponential {
            Check.within("schedule.gamma", gamma, 0, 1000);
        }

        @Override
        public double learningRate(double base, int epoch, int epochs) {
            return base * StrictMath.pow(gamma, epoch);
        }
    }

    /// Decays from the optimizer's learning rate towards 0, by the remaining fraction of the epochs to the power
    /// of `power`: `PolynomialLR` with `total_iters` set to the job's epochs, so the rate would be 0 after the
    /// last.
    record Polynomial(@Default("1") double power) implements EpochSchedule {
        public Polynomial {
            Check.between("schedule.power", power, 0.001, 1000);
        }

        @Override
        public double learningRate(double base, int epoch, int epochs) {
            return base * StrictMath.pow(1 - epoch / (double) epochs, power);
        }
    }

    /// Decays from the optimizer's learning rate towards `minLearningRate` along half a cosine, epoch by epoch:
    /// `CosineAnnealingLR` with `T_max` set to the job's epochs, so the minimum would be reached after the last.
    record Cosine(double minLearningRate) implements EpochSchedule {
        public Cosine {
            Check.within("schedule.minLearningRate", minLearningRate, 0, 1000);
        }

        @Override
        public double learningRate(double base, int epoch, int epochs) {
            return HalfCosine.between(base, minLearningRate, epoch / (double) epochs);
        }

        /// The learning rate of an epoch if another scheduler also scales the optimizer's rate; the caller
        /// multiplies it by the factors of the steps. `CosineAnnealingLR` moves the current rate towards the
        /// minimum, and during warmup the rate is closer to the minimum or below it. So the result equals this
        /// schedule alone only if the minimum is 0.
        ///
        /// @param factor of the other scheduler for an epoch's first step; once 1, it stays 1
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

        /// Scales an epoch's rate to a later epoch.
        private double towardsMinimum(double rate, int epoch, int later, int epochs) {
            double part = HalfCosine.height(later / (double) epochs) / HalfCosine.height(epoch / (double) epochs);
            return minLearningRate + (rate - minLearningRate) * part;
        }
    }

    /// Decays from the optimizer's learning rate towards `minLearningRate` along half a cosine in `periodEpochs`
    /// epochs, then restarts; each period is `periodFactor` times as long as the one before:
    /// `CosineAnnealingWarmRestarts`.
    record CosineRestarts(
            @Required("schedule.periodEpochs") int periodEpochs,
            @Default("1") int periodFactor,
            double minLearningRate) implements EpochSchedule {
        public CosineRestarts {
            Check.between("schedule.periodEpochs", periodEpochs, 1, MAX_EPOCHS);
            Check.between("schedule.periodFactor", periodFactor, 1, 1000);
            Check.within("schedule.minLearningRate", minLearningRate, 0, 1000);
        }

        @Override
        public double learningRate(double base, int epoch, int epochs) {
            long period = periodEpochs;
            long since = epoch; // epochs since the last restart
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
