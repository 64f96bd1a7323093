package io.trainyard.device.host;

import io.trainyard.spec.OptimizerSpec;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// What an optimizer does to the parameters in one step, in float32 with PyTorch's operations in PyTorch's order.
///
/// Each element is computed by itself and always with the same operations: the bits depend neither on how wide the
/// machine's vectors are nor on how a parameter is cut into pieces. The padding of blocked layouts may be among the
/// elements: there all is zero, and stays so.
public sealed interface ParameterUpdate permits SgdUpdate {
    /// @param learningRate of this step, whatever the optimizer's own is
    /// @param step how many steps the optimizer has made with this one: 1 for the first
    static ParameterUpdate of(OptimizerSpec optimizer, double learningRate, long step) {
        return switch (optimizer) {
            case OptimizerSpec.Sgd sgd -> new SgdUpdate(sgd, learningRate);
        };
    }

    /// Takes the step for one parameter, or for a piece of one. All segments hold float32, native or on the heap, the
    /// same number of them in the same places.
    ///
    /// @param values the parameter
    /// @param state one for each of [OptimizerSpec#slots]
    void apply(MemorySegment values, MemorySegment gradient, List<MemorySegment> state);
}
