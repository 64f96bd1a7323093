package io.trainyard.device.cuda;

import io.trainyard.device.session.UpdateRule;
import org.jspecify.annotations.Nullable;

record AdamKernel(UpdateRule.Adam rule) implements UpdateKernel {
    @Override
    public String name() {
        return "adam";
    }

    @Override
    public float[] changing() {
        return new float[] {rule.shrink(), rule.minusStepSize(), rule.correction()};
    }

    @Override
    public @Nullable Object[] arguments(Operands on) {
        return new @Nullable Object[] {
            on.values(),
            on.gradients(),
            on.slots().get(0),
            on.slots().get(1),
            on.floats(),
            on.scalars(),
            on.step(),
            rule.gradientDecay(),
            rule.approach(),
            rule.fromGradient() ? 1 : 0,
            rule.beta2(),
            rule.newSquare(),
            rule.epsilon()
        };
    }
}
