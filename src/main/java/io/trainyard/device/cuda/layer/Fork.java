package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The input of branches. Each branch has its own gradient of the input, the first one in the input's buffer; the sum
/// is the input's gradient.
///
/// @param inputs of the branches
/// @param added whether the layer before adds the gradient of the last branch
record Fork(List<BatchTensor> inputs, boolean added) {
    /// @param before the layer with this output; null if it has none
    static Fork of(List<BatchTensor> inputs, @Nullable CudaLayer before) {
        Buffer gradient = inputs.getLast().gradient();
        return new Fork(List.copyOf(inputs), gradient != null && before != null && before.takeGradient(gradient));
    }

    static BatchTensor branch(Network.Layer join, BatchTensor in, int branch, Compilation c) {
        return in.withGradient(
                in.gradient() == null
                        ? null
                        : c.gradient(join.in(), "%s's input, of its branch %d".formatted(join.name(), branch)));
    }

    void backward(Compilation c) {
        BatchTensor first = inputs.getFirst();
        Buffer sum = first.gradient();
        if (sum != null) {
            for (BatchTensor other : inputs.subList(1, inputs.size() - (added ? 1 : 0))) {
                c.kernels().launch("add", first.elements(), sum, sum, other.gradient(), first.elements());
            }
        }
    }
}
