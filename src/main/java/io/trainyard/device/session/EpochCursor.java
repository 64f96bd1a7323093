package io.trainyard.device.session;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.Workload;
import io.trainyard.spec.OptimizerSpec;
import org.jspecify.annotations.Nullable;

/// The position of a session in its epoch: the next step, and the range of steps that was begun.
public final class EpochCursor {
    private final Workload workload;
    private @Nullable EpochPlan plan;
    private int step;
    private int firstStep;
    private int stepsEnd;

    EpochCursor(Workload workload) {
        this.workload = workload;
    }

    /// Skips the random numbers of the steps before `first`.
    ///
    /// @throws IllegalArgumentException if the order's size differs from the training part's, the number of
    ///     learning rates differs from the number of steps, or the step does not exist
    void begin(EpochPlan newPlan, int first) {
        requirePlan(newPlan, first);
        newPlan.random().skip(workload.drawnWords(first));
        plan = newPlan;
        step = first;
        firstStep = first;
        stepsEnd = first;
    }

    private void requirePlan(EpochPlan newPlan, int first) {
        if (!workload.trains()) {
            throw new IllegalStateException(
                    "the session was opened for tests alone; open one for training to begin an epoch");
        }
        int samples = workload.dataset().train().size();
        if (newPlan.order().length != samples) {
            throw new IllegalArgumentException("the epoch's order has %d samples; dataset %s has %d to train on"
                    .formatted(newPlan.order().length, workload.dataset().name(), samples));
        }
        int steps = workload.stepsPerEpoch();
        if (newPlan.learningRates().length != steps) {
            throw new IllegalArgumentException("the epoch's plan has %d learning rates; it must have %d, one a step"
                    .formatted(newPlan.learningRates().length, steps));
        }
        int groups = workload.optimizer().groupCount() - 1;
        if (newPlan.groupRates().size() != groups
                || newPlan.groupRates().stream().anyMatch(rates -> rates.length != steps)) {
            throw new IllegalArgumentException(
                    "the epoch's plan has learning rates of %d groups; it must have those of %d, %d each"
                            .formatted(newPlan.groupRates().size(), groups, steps));
        }
        if (newPlan.momenta().length != 0 && newPlan.momenta().length != steps) {
            throw new IllegalArgumentException("the epoch's plan has %d momenta; it must have none or %d, one a step"
                    .formatted(newPlan.momenta().length, steps));
        }
        if (first < 0 || first > steps) {
            throw new IllegalArgumentException(
                    "an epoch cannot go on at step %d; allowed is 0 to %d, its number of steps"
                            .formatted(first, steps));
        }
    }

    /// @throws IllegalStateException if no epoch has begun
    /// @throws IllegalArgumentException if the epoch has fewer steps left
    void beginSteps(int steps) {
        var unusedPlan = plan();
        int left = workload.stepsPerEpoch() - step;
        if (steps < 0 || steps > left) {
            throw new IllegalArgumentException("cannot advance %d steps; the epoch has %d of its %d steps left"
                    .formatted(steps, left, workload.stepsPerEpoch()));
        }
        firstStep = step;
        stepsEnd = step + steps;
    }

    void endStep() {
        step++;
    }

    public EpochPlan plan() {
        EpochPlan begun = plan;
        if (begun == null) {
            throw new IllegalStateException("no epoch was started; call beginEpoch first");
        }
        return begun;
    }

    public int step() {
        return step;
    }

    /// The first step of the range that was begun.
    public int firstStep() {
        return firstStep;
    }

    /// One past the last step of the range that was begun.
    public int stepsEnd() {
        return stepsEnd;
    }

    public int firstSample() {
        return workload.firstSample(step);
    }

    public int samples() {
        return workload.samples(step);
    }

    /// @param group of the optimizer
    public OptimizerSpec optimizer(int group) {
        return plan().inStep(workload.optimizer(), group, step);
    }

    /// @param group of the optimizer
    public double learningRate(int group) {
        return plan().learningRate(group, step);
    }
}
