package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import org.jspecify.annotations.Nullable;

/// The exponential moving average of the weights over the optimizer's steps. The average is tested and saved as
/// the model.
///
/// @param decay weight of the previous average in each step
public record EmaSpec(double decay) {
    public EmaSpec {
        Check.between("ema.decay", decay, 0, 1);
    }

    @JsonCreator
    static EmaSpec read(@Nullable Double decay) {
        return new EmaSpec(Check.present("ema.decay", decay));
    }
}
