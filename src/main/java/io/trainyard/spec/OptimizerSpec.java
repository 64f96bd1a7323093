package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.trainyard.spec.FieldDefaults.Default;
import io.trainyard.spec.FieldDefaults.Required;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The optimizer, with the update rules of `torch.optim`.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = OptimizerSpec.Sgd.class, name = "sgd"),
    @JsonSubTypes.Type(value = OptimizerSpec.Adam.class, name = "adam"),
    @JsonSubTypes.Type(value = OptimizerSpec.AdamW.class, name = "adamw"),
    @JsonSubTypes.Type(value = OptimizerSpec.Rmsprop.class, name = "rmsprop")
})
@JsonInclude(JsonInclude.Include.NON_NULL)
public sealed interface OptimizerSpec {
    /// The base rate of a schedule.
    double learningRate();

    double weightDecay();

    /// Groups of parameters with other options; null: none.
    @Nullable
    List<ParameterGroup> groups();

    /// A copy with other options and without groups.
    OptimizerSpec with(double learningRate, double weightDecay);

    /// The number of groups, with that of the parameters in none of [#groups], which is the first.
    default int groupCount() {
        List<ParameterGroup> groups = groups();
        return 1 + (groups == null ? 0 : groups.size());
    }

    /// The options of a group.
    ///
    /// @param group 0 for the parameters in none of [#groups]
    default OptimizerSpec ofGroup(int group) {
        List<ParameterGroup> groups = groups();
        if (group == 0 || groups == null) {
            return this;
        }
        ParameterGroup own = groups.get(group - 1);
        return with(
                Objects.requireNonNullElse(own.learningRate(), learningRate()),
                Objects.requireNonNullElse(own.weightDecay(), weightDecay()));
    }

    /// The optimizer state of every parameter, by PyTorch's names; each has the parameter's shape and starts at
    /// zero.
    List<String> slots();

    /// Whether it has a momentum above 0, or Adam's beta1, that a schedule may change.
    boolean hasMomentum();

    /// A copy with another momentum, or beta1. If [#hasMomentum] and the momentum is above 0, its slots are the
    /// same.
    OptimizerSpec withMomentum(double momentum);

    /// Whether its rule depends on the number of steps.
    boolean countsSteps();

    /// g += weightDecay w; v = momentum v + (1 - dampening) g, in the first step v = g; w -= learningRate v.
    /// With `nesterov` w -= learningRate (g + momentum v).
    record Sgd(
            @Required("optimizer.learningRate") double learningRate,
            double momentum,
            double dampening,
            boolean nesterov,
            double weightDecay,
            @Nullable List<ParameterGroup> groups)
            implements OptimizerSpec {
        public Sgd {
            groups = checked(groups);
            Check.within("optimizer.learningRate", learningRate, 0, 1000);
            Check.within("optimizer.momentum", momentum, 0, 1);
            Check.between("optimizer.dampening", dampening, 0, 1);
            Check.within("optimizer.weightDecay", weightDecay, 0, 1000);
            if (nesterov && momentum == 0) {
                throw new InvalidJobException(
                        "optimizer.nesterov is true, but optimizer.momentum is 0.0; Nesterov's rule needs a momentum above 0, such as 0.9");
            }
            if (nesterov && dampening != 0) {
                throw new InvalidJobException(
                        "optimizer.nesterov is true, but optimizer.dampening is %s; Nesterov's rule has none: leave out one of the two"
                                .formatted(dampening));
            }
        }

        public Sgd(double learningRate, double momentum, double dampening, boolean nesterov, double weightDecay) {
            this(learningRate, momentum, dampening, nesterov, weightDecay, null);
        }

        public Sgd(double learningRate, double momentum, boolean nesterov, double weightDecay) {
            this(learningRate, momentum, 0, nesterov, weightDecay);
        }

        public Sgd(double learningRate, double momentum, double weightDecay) {
            this(learningRate, momentum, 0, false, weightDecay);
        }

        @Override
        public List<String> slots() {
            return momentum == 0 ? List.of() : List.of("momentum_buffer");
        }

        @Override
        public boolean hasMomentum() {
            return momentum != 0;
        }

        @Override
        public Sgd withMomentum(double other) {
            return new Sgd(learningRate, other, dampening, nesterov, weightDecay, groups);
        }

        @Override
        public Sgd with(double otherRate, double otherDecay) {
            return new Sgd(otherRate, momentum, dampening, nesterov, otherDecay);
        }

        /// With dampening, the first step differs.
        @Override
        public boolean countsSteps() {
            return momentum != 0 && dampening != 0;
        }
    }

    /// Adam and AdamW.
    sealed interface OfAdam extends OptimizerSpec {
        /// Whether the largest second moment is used.
        boolean amsgrad();

        /// The running means of the gradient and of its square; with amsgrad also the maximum of the latter.
        @Override
        default List<String> slots() {
            return amsgrad() ? List.of("exp_avg", "exp_avg_sq", "max_exp_avg_sq") : List.of("exp_avg", "exp_avg_sq");
        }

        @Override
        default boolean hasMomentum() {
            return true;
        }

        @Override
        default boolean countsSteps() {
            return true;
        }
    }

    /// In step t: g += weightDecay w; m = beta1 m + (1 - beta1) g; s = beta2 s + (1 - beta2) g^2; w -=
    /// learningRate m / (1 - beta1^t) / (sqrt(s / (1 - beta2^t)) + epsilon). With `amsgrad` the last formula uses
    /// the largest s so far instead of s.
    record Adam(
            @Default("1e-3") double learningRate,
            @Default("0.9") double beta1,
            @Default("0.999") double beta2,
            @Default("1e-8") double epsilon,
            double weightDecay,
            boolean amsgrad,
            @Nullable List<ParameterGroup> groups)
            implements OfAdam {
        public Adam {
            groups = checked(groups);
            checkAdam(learningRate, beta1, beta2, epsilon, weightDecay);
        }

        public Adam(
                double learningRate, double beta1, double beta2, double epsilon, double weightDecay, boolean amsgrad) {
            this(learningRate, beta1, beta2, epsilon, weightDecay, amsgrad, null);
        }

        public Adam(double learningRate, double beta1, double beta2, double epsilon, double weightDecay) {
            this(learningRate, beta1, beta2, epsilon, weightDecay, false);
        }

        @Override
        public Adam withMomentum(double other) {
            return new Adam(learningRate, other, beta2, epsilon, weightDecay, amsgrad, groups);
        }

        @Override
        public Adam with(double otherRate, double otherDecay) {
            return new Adam(otherRate, beta1, beta2, epsilon, otherDecay, amsgrad);
        }
    }

    /// Like [Adam], but with decoupled weight decay: w -= learningRate weightDecay w instead of a term in g.
    record AdamW(
            @Default("1e-3") double learningRate,
            @Default("0.9") double beta1,
            @Default("0.999") double beta2,
            @Default("1e-8") double epsilon,
            @Default("1e-2") double weightDecay,
            boolean amsgrad,
            @Nullable List<ParameterGroup> groups)
            implements OfAdam {
        public AdamW {
            groups = checked(groups);
            checkAdam(learningRate, beta1, beta2, epsilon, weightDecay);
        }

        public AdamW(
                double learningRate, double beta1, double beta2, double epsilon, double weightDecay, boolean amsgrad) {
            this(learningRate, beta1, beta2, epsilon, weightDecay, amsgrad, null);
        }

        public AdamW(double learningRate, double beta1, double beta2, double epsilon, double weightDecay) {
            this(learningRate, beta1, beta2, epsilon, weightDecay, false);
        }

        @Override
        public AdamW withMomentum(double other) {
            return new AdamW(learningRate, other, beta2, epsilon, weightDecay, amsgrad, groups);
        }

        @Override
        public AdamW with(double otherRate, double otherDecay) {
            return new AdamW(otherRate, beta1, beta2, epsilon, otherDecay, amsgrad);
        }
    }

    /// g += weightDecay w; s = alpha s + (1 - alpha) g^2; step = g / (sqrt(s) + epsilon); w -= learningRate step.
    /// With `centered` the square of the gradient's mean a = alpha a + (1 - alpha) g is subtracted from s. With
    /// momentum: v = momentum v + step; w -= learningRate v.
    record Rmsprop(
            @Default("1e-2") double learningRate,
            @Default("0.99") double alpha,
            @Default("1e-8") double epsilon,
            double momentum,
            boolean centered,
            double weightDecay,
            @Nullable List<ParameterGroup> groups)
            implements OptimizerSpec {
        public Rmsprop {
            groups = checked(groups);
            Check.within("optimizer.learningRate", learningRate, 0, 1000);
            Check.within("optimizer.alpha", alpha, 0, 1);
            Check.within("optimizer.epsilon", epsilon, 1e-30, 1000);
            Check.within("optimizer.momentum", momentum, 0, 1);
            Check.within("optimizer.weightDecay", weightDecay, 0, 1000);
        }

        public Rmsprop(
                double learningRate,
                double alpha,
                double epsilon,
                double momentum,
                boolean centered,
                double weightDecay) {
            this(learningRate, alpha, epsilon, momentum, centered, weightDecay, null);
        }

        /// In PyTorch's order: the mean of the gradient's square, the momentum, the gradient's mean.
        @Override
        public List<String> slots() {
            List<String> slots = new ArrayList<>(List.of("square_avg"));
            if (momentum != 0) {
                slots.add("momentum_buffer");
            }
            if (centered) {
                slots.add("grad_avg");
            }
            return List.copyOf(slots);
        }

        @Override
        public boolean hasMomentum() {
            return momentum != 0;
        }

        @Override
        public Rmsprop withMomentum(double other) {
            return new Rmsprop(learningRate, alpha, epsilon, other, centered, weightDecay, groups);
        }

        @Override
        public Rmsprop with(double otherRate, double otherDecay) {
            return new Rmsprop(otherRate, alpha, epsilon, momentum, centered, otherDecay);
        }

        @Override
        public boolean countsSteps() {
            return false;
        }
    }

    private static @Nullable List<ParameterGroup> checked(@Nullable List<ParameterGroup> groups) {
        if (groups == null) {
            return null;
        }
        List<ParameterGroup> complete = Check.complete("optimizer.groups", groups);
        Check.between("the number of optimizer.groups", complete.size(), 1, ParameterGroup.MOST);
        return complete;
    }

    /// Epsilon is above zero also as float32: otherwise an element without gradients would become 0/0.
    private static void checkAdam(double learningRate, double beta1, double beta2, double epsilon, double weightDecay) {
        Check.within("optimizer.learningRate", learningRate, 0, 1000);
        Check.within("optimizer.beta1", beta1, 0, 1);
        Check.within("optimizer.beta2", beta2, 0, 1);
        Check.within("optimizer.epsilon", epsilon, 1e-30, 1000);
        Check.within("optimizer.weightDecay", weightDecay, 0, 1000);
    }
}
