package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.session.UpdateRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The kernel of an update rule. Coefficients that are the same in each step are recorded with its launch; the
/// others are on the device for each step of the epoch, so a recorded launch reads those of its step.
interface UpdateKernel {
    static UpdateKernel of(UpdateRule rule) {
        return switch (rule) {
            case UpdateRule.Sgd sgd -> new Sgd(sgd);
            case UpdateRule.Adam adam -> new Adam(adam);
            case UpdateRule.Rmsprop rmsprop -> new Rmsprop(rmsprop);
        };
    }

    /// In `optimizer.cu`.
    String name();

    float[] changing();

    /// The optimizer's slots; null for those that the rule does not use.
    record Slots(
            @Nullable Buffer first,
            @Nullable Buffer second,
            @Nullable Buffer third) {}

    Slots slots(List<Buffer> all);

    @Nullable
    Object[] arguments(Operands on);

    /// The operands of every update.
    ///
    /// @param values of some parameters; gradients and slots have the same size
    /// @param slots one for each of the optimizer's
    /// @param scalars [StepScalars]
    /// @param step the step's number
    record Operands(Buffer values, Buffer gradients, List<Buffer> slots, Buffer scalars, Buffer step) {
        long floats() {
            return values.bytes() / Float.BYTES;
        }
    }

    record Sgd(UpdateRule.Sgd rule) implements UpdateKernel {
        @Override
        public String name() {
            return "sgd";
        }

        @Override
        public float[] changing() {
            return new float[] {rule.minusLearningRate(), rule.momentum(), rule.newGradient()};
        }

        @Override
        public Slots slots(List<Buffer> all) {
            return new Slots(all.isEmpty() ? null : all.getFirst(), null, null);
        }

        @Override
        public @Nullable Object[] arguments(Operands on) {
            return new @Nullable Object[] {
                on.values(),
                on.gradients(),
                slots(on.slots()).first(),
                on.floats(),
                on.scalars(),
                on.step(),
                rule.weightDecay(),
                rule.nesterov() ? 1 : 0
            };
        }
    }

    record Adam(UpdateRule.Adam rule) implements UpdateKernel {
        @Override
        public String name() {
            return "adam";
        }

        @Override
        public float[] changing() {
            return new float[] {
                rule.shrink(),
                rule.minusStepSize(),
                rule.correction(),
                rule.mean().approach(),
                rule.mean().fromEnd() ? 1 : 0
            };
        }

        @Override
        public Slots slots(List<Buffer> all) {
            return new Slots(all.get(0), all.get(1), rule.amsgrad() ? all.get(2) : null);
        }

        @Override
        public @Nullable Object[] arguments(Operands on) {
            Slots slots = slots(on.slots());
            return new @Nullable Object[] {
                on.values(),
                on.gradients(),
                slots.first(),
                slots.second(),
                slots.third(),
                on.floats(),
                on.scalars(),
                on.step(),
                rule.gradientDecay(),
                rule.beta2(),
                rule.newSquare(),
                rule.epsilon()
            };
        }
    }

    record Rmsprop(UpdateRule.Rmsprop rule) implements UpdateKernel {
        @Override
        public String name() {
            return "rmsprop";
        }

        @Override
        public float[] changing() {
            return new float[] {rule.minusLearningRate(), rule.momentum()};
        }

        @Override
        public Slots slots(List<Buffer> all) {
            boolean moving = all.size() > (rule.centered() ? 2 : 1);
            return new Slots(
                    all.getFirst(), moving ? all.get(1) : null, rule.centered() ? all.get(moving ? 2 : 1) : null);
        }

        @Override
        public @Nullable Object[] arguments(Operands on) {
            Slots slots = slots(on.slots());
            return new @Nullable Object[] {
                on.values(),
                on.gradients(),
                slots.first(),
                slots.second(),
                slots.third(),
                on.floats(),
                on.scalars(),
                on.step(),
                rule.alpha(),
                rule.newSquare(),
                rule.mean().approach(),
                rule.mean().fromEnd() ? 1 : 0,
                rule.epsilon(),
                rule.weightDecay()
            };
        }
    }
}
