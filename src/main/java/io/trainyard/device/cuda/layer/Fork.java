package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;

/// The input of two branches: each branch has its own gradient of the input, and the two are added.
///
/// @param in with the sum of the gradients
/// @param one the input of one branch
/// @param other the input of the other
record Fork(BatchTensor in, BatchTensor one, BatchTensor other) {
    static BatchTensor branch(Network.Layer residual, BatchTensor in, String branch, Compilation c) {
        return in.withGradient(
                in.gradient() == null
                        ? null
                        : c.gradient(residual.in(), "%s's input, of its %s".formatted(residual.name(), branch)));
    }

    void backward(Compilation c) {
        Buffer sum = in.gradient();
        if (sum != null) {
            c.kernels().launch("add", in.elements(), sum, one.gradient(), other.gradient(), in.elements());
        }
    }
}
