package io.trainyard.device.cuda;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.session.UpdateRule;
import io.trainyard.spec.OptimizerSpec;

/// The numbers of an update that change from step to step: eight for each step of an epoch, so that the
/// kernels find theirs by the step's number.
final class StepScalars {
    static final int OF_STEP = 8; // as optimizer.cu has it

    private StepScalars() {}

    /// @param stepsBefore how many steps the optimizer has made before step `firstStep` of the epoch
    static float[] of(OptimizerSpec optimizer, EpochPlan plan, int firstStep, long stepsBefore) {
        double[] learningRates = plan.learningRates();
        float[] scalars = new float[learningRates.length * OF_STEP];
        for (int i = firstStep; i < learningRates.length; i++) {
            UpdateRule rule =
                    UpdateRule.of(plan.inStep(optimizer, i), learningRates[i], stepsBefore + i - firstStep + 1);
            float[] changing = UpdateKernel.of(rule).changing();
            System.arraycopy(changing, 0, scalars, i * OF_STEP, changing.length);
        }
        return scalars;
    }
}
