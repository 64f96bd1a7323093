package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;

/// Where two branches begin: each has a gradient of their input by itself, and the two are added.
///
/// @param in with the sum of the gradients
/// @param one as one branch has it
/// @param other as the other does
record Fork(BatchTensor in, BatchTensor one, BatchTensor other) {
    /// The input as a branch has it, with room for its gradient if that is asked for.
    static BatchTensor branch(Network.Layer residual, BatchTensor in, String branch, Compilation c) {
        return in.withGradient(
                in.gradient() == null
                        ? null
                        : c.gradient(residual.in(), "%s's input, of its %s".formatted(residual.name(), branch)));
    }

    /// After both branches' backward passes.
    void backward(Compilation c) {
        Buffer sum = in.gradient();
        if (sum != null) {
            c.kernels().launch("add", in.elements(), sum, one.gradient(), other.gradient(), in.elements());
        }
    }
}
