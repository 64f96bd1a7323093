package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Default;
import io.trainyard.spec.FieldDefaults.Required;
import java.util.Arrays;
import java.util.function.IntToDoubleFunction;

/// The rates of `then`, scaled by a factor that rises linearly from `startFactor` to 1 in the first `steps` steps
/// of the job: `LinearLR`, stepped with each batch, and the scheduler of `then`, stepped after each epoch, on one
/// optimizer. Each scales the current rate. For all schedules except [EpochSchedule.Cosine] the result is the
/// product.
///
/// In PyTorch, `OneCycleLR` overwrites the rate in each step, which leaves only the last step of `LinearLR`, and
/// `CosineAnnealingWarmRestarts` overwrites it after each epoch. Here the product is used for them as well.
///
/// This is not `SequentialLR`, which begins `then` after the warmup: it counts both in one unit, but here one is
/// in steps and the other in epochs, and milestones would no longer be the epochs that they name.
public record WarmupSchedule(
        @Required("schedule.steps") int steps,
        @Default("0.3333333333333333") double startFactor,
        @Default("{'type': 'constant'}") ScheduleSpec then)
        implements ScheduleSpec {
    public WarmupSchedule {
        Check.between("schedule.steps", steps, 1, MAX_STEPS);
        Check.between("schedule.startFactor", startFactor, 1e-9, 1);
        if (then instanceof WarmupSchedule) {
            throw new InvalidJobException(
                    "schedule.then is a warmup in a warmup; allowed is constant, cosine, cosineRestarts, exponential, multiStep, oneCycle, polynomial, step");
        }
    }

    @Override
    public double[] learningRates(double base, int epoch, int stepsPerEpoch, int epochs) {
        double[] rates = ratesOfThen(base, epoch, stepsPerEpoch, epochs);
        Arrays.setAll(rates, i -> rates[i] * factor((long) epoch * stepsPerEpoch + i));
        return rates;
    }

    private double[] ratesOfThen(double base, int epoch, int stepsPerEpoch, int epochs) {
        double[] rates = then.learningRates(base, epoch, stepsPerEpoch, epochs);
        if (then instanceof EpochSchedule.Cosine cosine) {
            IntToDoubleFunction first = at -> factor((long) at * stepsPerEpoch);
            Arrays.fill(rates, cosine.learningRate(base, epoch, epochs, first));
        }
        return rates;
    }

    /// @param step in the whole job, from 0
    private double factor(long step) {
        return step < steps ? startFactor + (1 - startFactor) * step / steps : 1;
    }

    @Override
    public double[] momenta(int epoch, int stepsPerEpoch, int epochs) {
        return then.momenta(epoch, stepsPerEpoch, epochs);
    }

    @Override
    public boolean cyclesMomentum() {
        return then.cyclesMomentum();
    }
}
