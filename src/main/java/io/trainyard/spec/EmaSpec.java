package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Required;

/// The exponential moving average of the weights over the optimizer's steps. The average is tested and saved as
/// the model.
///
/// @param decay weight of the previous average in each step
public record EmaSpec(@Required("ema.decay") double decay) {
    public EmaSpec {
        Check.between("ema.decay", decay, 0, 1);
    }
}
