package io.trainyard.device.cuda;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.Workload;
import io.trainyard.device.session.UpdateRule;

/// The coefficients of an update that change between steps: eight for each step of an epoch, which the kernels
/// index by the step's number, for one of the optimizer's groups after another. The last one marks the optimizer's
/// first step.
final class StepScalars {
    static final int OF_STEP = 8; // as optimizer.cu has it

    private StepScalars() {}

    /// @param stepsBefore number of optimizer steps before step `firstStep` of the epoch
    static float[] of(Workload workload, EpochPlan plan, int firstStep, long stepsBefore) {
        int steps = plan.learningRates().length;
        int groups = workload.optimizer().groupCount();
        float[] scalars = new float[groups * steps * OF_STEP];
        for (int group = 0; group < groups; group++) {
            long step = stepsBefore;
            for (int i = firstStep; i < steps; i++) {
                if (workload.updatesAt(i)) {
                    step++;
                    UpdateRule rule = UpdateRule.of(
                            plan.inStep(workload.optimizer(), group, i), plan.learningRate(group, i), step);
                    float[] changing = UpdateKernel.of(rule).changing();
                    int at = (group * steps + i) * OF_STEP;
                    System.arraycopy(changing, 0, scalars, at, changing.length);
                    scalars[at + OF_STEP - 1] = step == 1 ? 1 : 0;
                }
            }
        }
        return scalars;
    }
}
