package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Default;
import io.trainyard.spec.FieldDefaults.Required;
import java.util.Arrays;

/// Rises from `maxLearningRate / divFactor` to `maxLearningRate` in the first `pctStart` of the job's steps, then
/// falls to the first rate divided by `finalDivFactor`, step by step, both along half a cosine: `OneCycleLR`. It
/// ignores the optimizer's own learning rate. With `cycleMomentum` the momentum, or Adam's beta1, falls from
/// `maxMomentum` to `baseMomentum` and rises again; otherwise it is constant.
public record OneCycleSchedule(
        @Required("schedule.maxLearningRate") double maxLearningRate,
        @Default("0.3") double pctStart,
        @Default("25") double divFactor,
        @Default("1e4") double finalDivFactor,
        boolean cycleMomentum,
        @Default("0.85") double baseMomentum,
        @Default("0.95") double maxMomentum)
        implements ScheduleSpec {
    private static final double LEAST_MOMENTUM = 1e-6; // at 0, SGD and RMSprop would keep no momentum buffer

    public OneCycleSchedule {
        Check.within("schedule.maxLearningRate", maxLearningRate, 0, 1000);
        Check.between("schedule.pctStart", pctStart, 0, 1);
        Check.within("schedule.divFactor", divFactor, 1e-6, 1e12);
        Check.within("schedule.finalDivFactor", finalDivFactor, 1e-6, 1e12);
        Check.within("schedule.baseMomentum", baseMomentum, LEAST_MOMENTUM, 1);
        Check.within("schedule.maxMomentum", maxMomentum, LEAST_MOMENTUM, 1);
    }

    /// The position of a step in the cycle.
    ///
    /// @param rising whether the rate rises
    /// @param part completed fraction, 0..1
    private record Place(boolean rising, double part) {}

    @Override
    public double[] learningRates(double base, int epoch, int stepsPerEpoch, int epochs) {
        double[] rates = new double[stepsPerEpoch];
        double first = maxLearningRate / divFactor;
        Arrays.setAll(rates, i -> {
            Place place = place((long) epoch * stepsPerEpoch + i, (long) epochs * stepsPerEpoch);
            return place.rising()
                    ? HalfCosine.between(first, maxLearningRate, place.part())
                    : HalfCosine.between(maxLearningRate, first / finalDivFactor, place.part());
        });
        return rates;
    }

    @Override
    public double[] momenta(int epoch, int stepsPerEpoch, int epochs) {
        double[] momenta = new double[cycleMomentum ? stepsPerEpoch : 0];
        Arrays.setAll(momenta, i -> {
            Place place = place((long) epoch * stepsPerEpoch + i, (long) epochs * stepsPerEpoch);
            return place.rising()
                    ? HalfCosine.between(maxMomentum, baseMomentum, place.part())
                    : HalfCosine.between(baseMomentum, maxMomentum, place.part());
        });
        return momenta;
    }

    @Override
    public boolean cyclesMomentum() {
        return cycleMomentum;
    }

    /// @param steps of the whole job
    private Place place(long step, long steps) {
        double last = steps - 1.0;
        double top = pctStart * steps - 1; // may lie between two steps, or before the first
        if (step <= top) {
            return new Place(true, top == 0 ? 1 : step / top);
        }
        return new Place(false, (step - top) / (last - top));
    }
}
