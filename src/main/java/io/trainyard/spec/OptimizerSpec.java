package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.trainyard.spec.ParameterSpec.Init;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How parameters follow their gradients, with the update rules of `torch.optim`.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = OptimizerSpec.Sgd.class, name = "sgd"),
    @JsonSubTypes.Type(value = OptimizerSpec.Adam.class, name = "adam"),
    @JsonSubTypes.Type(value = OptimizerSpec.AdamW.class, name = "adamw")
})
public sealed interface OptimizerSpec {
    /// The name in the optimizer's state of how many steps it has made.
    String STEP = "step";

    /// Of Adam and AdamW: the running means of the gradient and of its square.
    List<String> ADAM_SLOTS = List.of("exp_avg", "exp_avg_sq");

    /// What a schedule starts from.
    double learningRate();

    /// What it keeps of every parameter from step to step, by PyTorch's names; each has the parameter's shape and
    /// starts at zero.
    List<String> slots();

    /// Whether its rule asks how many steps it has made.
    boolean countsSteps();

    /// The entries of its state that belong to `parameter`, named `<parameter>.<slot>`, in the order of
    /// [#slots]; none for a buffer.
    default List<ParameterSpec> slotsOf(ParameterSpec parameter) {
        return parameter.trained()
                ? slots().stream()
                        .map(slot -> new ParameterSpec(
                                parameter.name() + "." + slot, parameter.shape(), new Init.Constant(0), false))
                        .toList()
                : List.of();
    }

    /// All entries of its state.
    ///
    /// @param parameters the network's parameters and buffers
    default List<ParameterSpec> state(List<ParameterSpec> parameters) {
        List<ParameterSpec> entries = new ArrayList<>();
        parameters.forEach(parameter -> entries.addAll(slotsOf(parameter)));
        if (countsSteps()) {
            entries.add(new ParameterSpec(STEP, Shape.of(), new Init.Counter(), false));
        }
        return entries;
    }

    /// g += weightDecay w; v = momentum v + g; w -= learningRate v. With `nesterov` w -= learningRate (g +
    /// momentum v).
    record Sgd(double learningRate, double momentum, boolean nesterov, double weightDecay) implements OptimizerSpec {
        public Sgd {
            Check.within("optimizer.learningRate", learningRate, 0, 1000);
            Check.within("optimizer.momentum", momentum, 0, 1);
            Check.within("optimizer.weightDecay", weightDecay, 0, 1000);
            if (nesterov && momentum == 0) {
                throw new InvalidJobException(
                        "optimizer.nesterov is true, but optimizer.momentum is 0.0; Nesterov's rule needs a momentum above 0, such as 0.9");
            }
        }

        public Sgd(double learningRate, double momentum, double weightDecay) {
            this(learningRate, momentum, false, weightDecay);
        }

        @JsonCreator
        static Sgd read(
                @Nullable Double learningRate,
                @Nullable Double momentum,
                @Nullable Boolean nesterov,
                @Nullable Double weightDecay) {
            return new Sgd(
                    Check.present("optimizer.learningRate", learningRate),
                    momentum == null ? 0 : momentum,
                    nesterov != null && nesterov,
                    weightDecay == null ? 0 : weightDecay);
        }

        @Override
        public List<String> slots() {
            return momentum == 0 ? List.of() : List.of("momentum_buffer");
        }

        @Override
        public boolean countsSteps() {
            return false;
        }
    }

    /// In step t: g += weightDecay w; m = beta1 m + (1 - beta1) g; s = beta2 s + (1 - beta2) g^2;
    /// w -= learningRate m / (1 - beta1^t) / (sqrt(s / (1 - beta2^t)) + epsilon).
    record Adam(double learningRate, double beta1, double beta2, double epsilon, double weightDecay)
            implements OptimizerSpec {
        public Adam {
            checkAdam(learningRate, beta1, beta2, epsilon, weightDecay);
        }

        /// What it leaves out has PyTorch's defaults.
        @JsonCreator
        static Adam read(
                @Nullable Double learningRate,
                @Nullable Double beta1,
                @Nullable Double beta2,
                @Nullable Double epsilon,
                @Nullable Double weightDecay) {
            return new Adam(
                    learningRate == null ? 1e-3 : learningRate,
                    beta1 == null ? 0.9 : beta1,
                    beta2 == null ? 0.999 : beta2,
                    epsilon == null ? 1e-8 : epsilon,
                    weightDecay == null ? 0 : weightDecay);
        }

        @Override
        public List<String> slots() {
            return ADAM_SLOTS;
        }

        @Override
        public boolean countsSteps() {
            return true;
        }
    }

    /// As [Adam], but the weights decay by themselves: not by g, but w -= learningRate weightDecay w.
    record AdamW(double learningRate, double beta1, double beta2, double epsilon, double weightDecay)
            implements OptimizerSpec {
        public AdamW {
            checkAdam(learningRate, beta1, beta2, epsilon, weightDecay);
        }

        /// What it leaves out has PyTorch's defaults.
        @JsonCreator
        static AdamW read(
                @Nullable Double learningRate,
                @Nullable Double beta1,
                @Nullable Double beta2,
                @Nullable Double epsilon,
                @Nullable Double weightDecay) {
            return new AdamW(
                    learningRate == null ? 1e-3 : learningRate,
                    beta1 == null ? 0.9 : beta1,
                    beta2 == null ? 0.999 : beta2,
                    epsilon == null ? 1e-8 : epsilon,
                    weightDecay == null ? 1e-2 : weightDecay);
        }

        @Override
        public List<String> slots() {
            return ADAM_SLOTS;
        }

        @Override
        public boolean countsSteps() {
            return true;
        }
    }

    /// Epsilon is above zero also as float32: an element that never had a gradient would become 0/0.
    private static void checkAdam(double learningRate, double beta1, double beta2, double epsilon, double weightDecay) {
        Check.within("optimizer.learningRate", learningRate, 0, 1000);
        Check.within("optimizer.beta1", beta1, 0, 1);
        Check.within("optimizer.beta2", beta2, 0, 1);
        Check.within("optimizer.epsilon", epsilon, 1e-30, 1000);
        Check.within("optimizer.weightDecay", weightDecay, 0, 1000);
    }
}
