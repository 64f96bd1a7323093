package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;

/// How parameters follow their gradients, with the update rules of `torch.optim`.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes(@JsonSubTypes.Type(value = OptimizerSpec.Sgd.class, name = "sgd"))
public sealed interface OptimizerSpec {
    /// g += weightDecay w; v = momentum v + g; w -= learningRate v.
    record Sgd(double learningRate, double momentum, double weightDecay) implements OptimizerSpec {
        public Sgd {
            Check.within("optimizer.learningRate", learningRate, 0, 1000);
            Check.within("optimizer.momentum", momentum, 0, 1);
            Check.within("optimizer.weightDecay", weightDecay, 0, 1000);
        }

        @JsonCreator
        static Sgd read(@Nullable Double learningRate, @Nullable Double momentum, @Nullable Double weightDecay) {
            return new Sgd(
                    Check.present("optimizer.learningRate", learningRate),
                    momentum == null ? 0 : momentum,
                    weightDecay == null ? 0 : weightDecay);
        }
    }
}
