package io.trainyard.device.cuda;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.Workload;
import io.trainyard.device.session.UpdateRule;

/// The coefficients of an update that change between steps: eight for each step of an epoch, which the kernels
/// index by the step's number. The last one marks the optimizer's first step.
final class StepScalars {
    static final int OF_STEP = 8; // as optimizer.cu has it

    private StepScalars() {}

    /// @param stepsBefore number of optimizer steps before step `firstStep` of the epoch
    static float[] of(Workload workload, EpochPlan plan, int firstStep, long stepsBefore) {
        float[] scalars = new float[plan.learningRates().length * OF_STEP];
        long step = stepsBefore;
        for (int i = firstStep; i < plan.learningRates().length; i++) {
            if (workload.updatesAt(i)) {
                step++;
                UpdateRule rule = UpdateRule.of(plan.inStep(workload.optimizer(), i), plan.learningRates()[i], step);
                float[] changing = UpdateKernel.of(rule).changing();
                System.arraycopy(changing, 0, scalars, i * OF_STEP, changing.length);
                scalars[(i + 1) * OF_STEP - 1] = step == 1 ? 1 : 0;
            }
        }
        return scalars;
    }
}
