package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Default;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// In training, zeroes values with probability `p` and scales the others by 1/(1-p); in evaluation, passes its
/// input through.
public sealed interface DropoutLayer extends LayerSpec {
    double p();

    /// Number of random draws for one sample of shape `in`.
    int draws(Shape in);

    @Override
    default Shape output(Shape in) {
        return in;
    }

    @Override
    default Optional<MaskSpec> mask(Shape in) {
        return p() == 0 ? Optional.empty() : Optional.of(new MaskSpec(p(), draws(in)));
    }

    /// Each element independently.
    record Dropout(@Nullable String name, @Default("0.5") double p) implements DropoutLayer {
        public Dropout {
            Check.within("dropout.p", p, 0, 1);
        }

        @Override
        public int draws(Shape in) {
            return in.elements();
        }
    }

    /// Each channel of a sample as a whole, with one draw for each channel.
    record Dropout2d(@Nullable String name, @Default("0.5") double p) implements DropoutLayer {
        public Dropout2d {
            Check.within("dropout2d.p", p, 0, 1);
        }

        @Override
        public Shape output(Shape in) {
            LayerChecks.requireImage(in);
            return in;
        }

        @Override
        public int draws(Shape in) {
            return in.size(0);
        }
    }
}
