package io.trainyard.device.session;

import io.trainyard.spec.ParameterSpec;

/// A backend's memory of the float32 tensors that carry over between steps, in any layout. Values on the host are
/// row-major, in the shape of `state_dict()`.
public interface StateMemory {
    float[] read(Place place);

    /// @param values one for each element of the place's parameter
    void write(Place place, float[] values);

    sealed interface Place {
        /// The parameter with the shape of the place.
        ParameterSpec parameter();

        /// A parameter or buffer. A counter is only written, as a float: layers that use it increment it
        /// themselves.
        record Value(ParameterSpec parameter) implements Place {}

        /// Optimizer state of a parameter.
        ///
        /// @param number index in [OptimizerSpec#slots]
        record Slot(ParameterSpec parameter, int number) implements Place {}
    }
}
