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
        public @Nullable Object[] arguments(Operands on) {
            return new @Nullable Object[] {
                on.values(),
                on.gradients(),
                on.slots().isEmpty() ? null : on.slots().getFirst(),
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
        public @Nullable Object[] arguments(Operands on) {
            return new @Nullable Object[] {
                on.values(),
                on.gradients(),
                on.slots().get(0),
                on.slots().get(1),
                rule.amsgrad() ? on.slots().get(2) : null,
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
        public @Nullable Object[] arguments(Operands on) {
            boolean moving = on.slots().size() > (rule.centered() ? 2 : 1);
            return new @Nullable Object[] {
                on.values(),
                on.gradients(),
                on.slots().getFirst(),
                moving ? on.slots().get(1) : null,
                rule.centered() ? on.slots().get(moving ? 2 : 1) : null,
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
