package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import org.jspecify.annotations.Nullable;

/// The input of two branches. Each branch has its own gradient of the input, one of them in the input's buffer; the sum
/// of the two is the input's gradient.
///
/// @param in with the gradient of one branch
/// @param other the input of the other branch
/// @param added whether the layer before adds the gradients
record Fork(BatchTensor in, BatchTensor other, boolean added) {
    /// @param before the layer with this output; null if it has none
    static Fork of(BatchTensor in, BatchTensor other, @Nullable CudaLayer before) {
        Buffer gradient = other.gradient();
        return new Fork(in, other, gradient != null && before != null && before.takeGradient(gradient));
    }

    static BatchTensor branch(Network.Layer residual, BatchTensor in, String branch, Compilation c) {
        return in.withGradient(
                in.gradient() == null
                        ? null
                        : c.gradient(residual.in(), "%s's input, of its %s".formatted(residual.name(), branch)));
    }

    void backward(Compilation c) {
        Buffer sum = in.gradient();
        if (sum != null && !added) {
            c.kernels().launch("add", in.elements(), sum, sum, other.gradient(), in.elements());
        }
    }
}
