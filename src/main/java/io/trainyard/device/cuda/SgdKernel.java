package io.trainyard.device.cuda;

import io.trainyard.device.session.UpdateRule;
import org.jspecify.annotations.Nullable;

record SgdKernel(UpdateRule.Sgd rule) implements UpdateKernel {
    @Override
    public String name() {
        return "sgd";
    }

    @Override
    public float[] changing() {
        return new float[] {rule.minusLearningRate()};
    }

    @Override
    public @Nullable Object[] arguments(Operands on) {
        return new @Nullable Object[] {
            on.values(),
            on.gradients(),
            on.slots().isEmpty() ? null : on.slots().getFirst(),
            on.floats(),
            on.scalars(),
            on.step(),
            rule.momentum(),
            rule.weightDecay(),
            rule.nesterov() ? 1 : 0
        };
    }
}
