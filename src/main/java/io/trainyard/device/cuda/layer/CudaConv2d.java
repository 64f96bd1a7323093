package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.CudaStatus;
import io.trainyard.device.cuda.layer.ConvolutionAlgorithm.Bytes;
import io.trainyard.device.cuda.layer.ConvolutionAlgorithm.Direction;
import io.trainyard.device.cuda.layer.ConvolutionAlgorithm.Operands;
import io.trainyard.device.cuda.layer.ConvolutionAlgorithm.Shapes;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Network;
import java.util.Objects;
import jcuda.jcudnn.cudnnFilterDescriptor;
import jcuda.jcudnn.cudnnTensorDescriptor;
import org.jspecify.annotations.Nullable;

/// A convolution by cuDNN. If the precision requires it, the weight is converted before use, to (out, row, column,
/// channel), and its gradient back.
final class CudaConv2d extends AbstractCudaLayer {
    private final Conv2d spec;
    private final String name;
    private final CudaWeightAndBias parameters;
    private final cudnnTensorDescriptor x;
    private final cudnnTensorDescriptor y;
    private final cudnnFilterDescriptor w;
    private final Convolution forward;
    private final @Nullable Convolution toFilter; // null in evaluation
    private final @Nullable Convolution toData; // null if the input needs no gradient
    private final Buffer weight;
    private final Buffer weightGradient;

    private record Convolution(Direction direction, Shapes shapes, ConvolutionAlgorithm algorithm) {}

    /// @param in already padded if the windows need more padding after the image than before it
    CudaConv2d(Conv2d spec, Network.Layer layer, BatchTensor in, Compilation c, Descriptors descriptors) {
        super(c, in, c.output(layer.out(), true, layer.name()));
        this.spec = spec;
        this.name = "convolution %s of %d times %s".formatted(layer.name(), in.samples(), in.shape());
        this.parameters = new CudaWeightAndBias(layer, in, out, c);
        this.x = descriptors.tensor(in);
        this.y = descriptors.tensor(out);
        this.w = descriptors.filter(spec.out(), channels(), spec.kernel());
        this.forward = convolution(Direction.FORWARD, descriptors);
        this.toFilter = c.training() ? convolution(Direction.TO_FILTER, descriptors) : null;
        this.toData = in.gradient() == null ? null : convolution(Direction.TO_DATA, descriptors);
        this.weight = c.numbers().channelsLast() ? parameters.packed() : parameters.weight();
        this.weightGradient = c.numbers().channelsLast() ? parameters.packedGradient() : parameters.weightGradient();
    }

    private int channels() {
        return in.channels() / spec.groups();
    }

    private int area() {
        return spec.kernel().area();
    }

    private Convolution convolution(Direction direction, Descriptors descriptors) {
        var descriptor = descriptors.convolution(spec.windows(), spec.groups());
        String words = "%d times %s, %d kernels of rows %s and columns %s, %d groups, %s"
                .formatted(
                        in.samples(),
                        in.shape(),
                        spec.out(),
                        spec.windows().rows(),
                        spec.windows().columns(),
                        spec.groups(),
                        c.numbers().ofConvolutions());
        Shapes shapes = new Shapes(x, w, descriptor, y, bytes());
        ConvolutionAlgorithm algorithm = c.algorithms().choose(direction, words, shapes);
        c.workspace().require(algorithm.workspaceBytes(), direction == Direction.TO_FILTER && in.gradient() != null);
        return new Convolution(direction, shapes, algorithm);
    }

    private Bytes bytes() {
        long weights = parameters.weightElements() * c.numbers().valueBytes();
        return new Bytes(in.value().bytes(), weights, out.value().bytes());
    }

    @Override
    public boolean takeRelu() {
        return parameters.takeRelu();
    }

    @Override
    public void forward() {
        if (c.numbers().channelsLast()) {
            c.kernels()
                    .launch(
                            "pack_filter",
                            parameters.weightElements(),
                            weight,
                            parameters.weight(),
                            spec.out(),
                            channels(),
                            area());
        }
        run(forward, in.value(), weight, out.value());
        parameters.addBias(out);
    }

    @Override
    public void backward() {
        c.differentiateParameters(in, this::differentiateParameters);
        if (in.gradient() != null && toData != null) {
            run(toData, in.gradient(), weight, Objects.requireNonNull(out.gradient()));
        }
    }

    private void differentiateParameters() {
        parameters.biasGradient(out);
        run(Objects.requireNonNull(toFilter), in.value(), weightGradient, Objects.requireNonNull(out.gradient()));
        if (c.numbers().channelsLast()) {
            c.kernels()
                    .launch(
                            "unpack_filter",
                            parameters.weightElements(),
                            parameters.weightGradient(),
                            weightGradient,
                            spec.out(),
                            channels(),
                            area());
        }
    }

    /// @param ofX a value or gradient in the input's shape; likewise the others
    private void run(Convolution convolution, Buffer ofX, Buffer ofW, Buffer ofY) {
        Direction direction = convolution.direction();
        Operands operands = Operands.of(direction, ofX, ofW, ofY, c.workspace().buffer());
        CudaStatus.dnn(
                convolution.algorithm().run(c.gpu(), direction, convolution.shapes(), operands),
                switch (direction) {
                    case FORWARD -> "cudnnConvolutionForward of " + name;
                    case TO_FILTER -> "cudnnConvolutionBackwardFilter of " + name;
                    case TO_DATA -> "cudnnConvolutionBackwardData of " + name;
                });
    }
}
