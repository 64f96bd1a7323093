package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Kernels;
import io.trainyard.spec.Shape;

/// What the layers of a program are compiled with.
///
/// @param parameters shared by all programs of a session
/// @param workspace scratch memory, shared by all layers of a session
/// @param algorithms of the session's convolutions
/// @param masks where in a step's masks each layer's own begin
/// @param step device memory with the number of the step, or of the test batch
/// @param part which samples of a batch the program computes
/// @param training whether there is a backward pass, and layers behave as in training
public record Compilation(
        Gpu gpu,
        Kernels kernels,
        Arena arena,
        Numbers numbers,
        LayerParameters parameters,
        Workspace workspace,
        ConvolutionAlgorithms algorithms,
        Masks masks,
        Buffer step,
        Part part,
        boolean training) {

    /// The samples `first` to `first + samples`, without it, of a batch of `batchSamples`.
    public record Part(int batchSamples, int first, int samples) {}

    /// A layer's output, with room for its gradient if it is asked for.
    public BatchTensor output(Shape shape, boolean differentiable, String layer) {
        return new BatchTensor(
                part.samples(),
                shape,
                values(shape, "the output of layer " + layer),
                training && differentiable ? gradient(shape, layer) : null);
    }

    /// Enqueues the gradients of a layer's parameters: beside those of its input, which all other layers wait for.
    /// Where nobody asks for that, nothing else is left to do.
    ///
    /// @param in the layer's input
    void differentiateParameters(BatchTensor in, Runnable gradients) {
        if (in.gradient() == null) {
            gradients.run();
        } else {
            gpu.fork(gradients);
        }
    }

    /// Room for the gradient of a layer's output.
    Buffer gradient(Shape shape, String layer) {
        return values(shape, "the gradient of the output of layer " + layer);
    }

    private Buffer values(Shape shape, String what) {
        return arena.reserve((long) part.samples() * shape.elements() * numbers.valueBytes(), what);
    }
}
