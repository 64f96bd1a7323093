package io.trainyard.device.cuda;

import io.trainyard.device.AdamFactors;
import io.trainyard.spec.OptimizerSpec;

/// The numbers of an update that change from step to step: four for each step of an epoch, so that the kernels find
/// theirs by the step's number.
final class StepScalars {
    static final int OF_STEP = 4;

    private StepScalars() {}

    /// @param stepsBefore how many steps the optimizer has made before step `firstStep` of the epoch
    static float[] of(OptimizerSpec optimizer, double[] learningRates, int firstStep, long stepsBefore) {
        float[] scalars = new float[learningRates.length * OF_STEP];
        for (int i = firstStep; i < learningRates.length; i++) {
            int at = i * OF_STEP;
            switch (optimizer) {
                case OptimizerSpec.Sgd _ -> scalars[at] = (float) -learningRates[i];
                case OptimizerSpec.Adam _, OptimizerSpec.AdamW _ -> {
                    AdamFactors factors = AdamFactors.of(optimizer, learningRates[i], stepsBefore + i - firstStep + 1);
                    scalars[at] = factors.shrink();
                    scalars[at + 1] = factors.minusStepSize();
                    scalars[at + 2] = factors.correction();
                }
            }
        }
        return scalars;
    }
}
