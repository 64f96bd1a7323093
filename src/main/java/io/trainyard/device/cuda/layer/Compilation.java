package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Kernels;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Shape;

/// The context in which the layers of a program are compiled.
///
/// @param parameters shared by all programs of a session
/// @param workspace scratch memory, shared by all layers of a session
/// @param plans of the session's convolutions
/// @param norms the sums of batch norms, shared by all programs of a session
/// @param masks offsets of each layer's masks within a step's
/// @param step device memory with the number of the step, or of the test batch
/// @param part the samples of a batch that the program computes
/// @param training whether there is a backward pass, and layers behave as in training
public record Compilation(
        Gpu gpu,
        Kernels kernels,
        Arena arena,
        Numbers numbers,
        LayerParameters parameters,
        Workspace workspace,
        ConvolutionPlans plans,
        BatchNormExchange norms,
        Masks masks,
        Buffer step,
        Part part,
        boolean training) {

    /// `samples` samples from `first` on, of a batch of `batchSamples`.
    public record Part(int batchSamples, int first, int samples) {}

    public BatchTensor output(Shape shape, boolean differentiable, String layer) {
        return new BatchTensor(
                part.samples(),
                shape,
                values(shape, "the output of layer " + layer),
                training && differentiable ? gradient(shape, layer) : null);
    }

    /// Enqueues the gradients of a layer's parameters, in parallel with the input's gradient, on which all other
    /// layers depend. If the input needs no gradient, there is no parallel work.
    ///
    /// @param in the layer's input
    void differentiateParameters(BatchTensor in, Runnable gradients) {
        if (in.gradient() == null) {
            gradients.run();
        } else {
            gpu.fork(gradients);
        }
    }

    /// The gradient of a parameter that is computed together with another one; not used if it is frozen.
    Buffer gradient(ParameterSpec spec) {
        return spec.trained()
                ? parameters.gradient(spec)
                : arena.reserve((long) spec.shape().elements() * Float.BYTES, "the unused gradient of " + spec.name());
    }

    Buffer gradient(Shape shape, String layer) {
        return values(shape, "the gradient of the output of layer " + layer);
    }

    private Buffer values(Shape shape, String what) {
        return arena.reserve((long) part.samples() * shape.elements() * numbers.valueBytes(), what);
    }
}
