package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.session.UpdateRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The kernel that computes an update rule. What of the rule's numbers is the same in each step is recorded with its
/// launch; the others lie on the device, for each step of the epoch, so that a recorded launch finds its step's.
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

    /// The numbers that change from step to step, less than [StepScalars#OF_STEP].
    float[] changing();

    /// The optimizer's slots; null for one that this rule has not.
    record Slots(
            @Nullable Buffer first,
            @Nullable Buffer second,
            @Nullable Buffer third) {}

    /// @param all one for each of the optimizer's
    Slots slots(List<Buffer> all);

    /// What the kernel takes, in order.
    @Nullable
    Object[] arguments(Operands on);

    /// What every update takes.
    ///
    /// @param values of some parameters; gradients and slots have as many
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
