package io.trainyard.device.session;

import io.trainyard.spec.ParameterSpec;

/// Where a backend has the float32 tensors that live from step to step, each laid out as it likes. On the host's side
/// values are row-major, in `state_dict()`'s shape.
public interface StateMemory {
    float[] read(Place place);

    /// @param values as many as the place's parameter has elements
    void write(Place place, float[] values);

    sealed interface Place {
        /// Gives it its shape.
        ParameterSpec parameter();

        /// A parameter or a buffer itself. A counter's is written only, as a float: a layer that needs it counts on.
        record Value(ParameterSpec parameter) implements Place {}

        /// What the optimizer keeps of a parameter.
        ///
        /// @param number which of [OptimizerSpec#slots]
        record Slot(ParameterSpec parameter, int number) implements Place {}
    }
}
