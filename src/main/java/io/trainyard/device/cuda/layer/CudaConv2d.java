package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.CudaStatus;
import io.trainyard.device.cuda.layer.Convolution.Direction;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Network;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A convolution by cuDNN. If the precision requires it, the weight is converted before use, to (out, row, column,
/// channel), and its gradient back.
final class CudaConv2d extends AbstractCudaLayer {
    private final Conv2d spec;
    private final String name;
    private final CudaWeightAndBias parameters;
    private final ConvolutionPlan forward;
    private final @Nullable ConvolutionPlan toFilter; // null in evaluation, and if the weight is frozen
    private final @Nullable ConvolutionPlan toData; // null if the input needs no gradient
    private final Buffer weight;
    private final @Nullable Buffer weightGradient; // null if it is frozen

    CudaConv2d(Conv2d spec, Network.Layer layer, BatchTensor in, Compilation c) {
        super(c, in, c.output(layer.out(), layer.isDifferentiated(), layer.name()));
        this.spec = spec;
        this.name = "convolution %s of %d times %s".formatted(layer.name(), in.samples(), in.shape());
        this.parameters = new CudaWeightAndBias(layer, in, out, c);
        this.forward = plan(Direction.FORWARD);
        this.toFilter = c.training() && parameters.trainsWeight() ? plan(Direction.TO_FILTER) : null;
        this.toData = in.gradient() == null ? null : plan(Direction.TO_DATA);
        this.weight = c.numbers().channelsLast() ? parameters.packed() : parameters.weight();
        this.weightGradient = !parameters.trainsWeight()
                ? null
                : c.numbers().channelsLast() ? parameters.packedGradient() : parameters.weightGradient();
    }

    private int channels() {
        return in.channels() / spec.groups();
    }

    private int area() {
        return spec.kernel().area();
    }

    private ConvolutionPlan plan(Direction direction) {
        ConvolutionPlan plan = c.plans()
                .choose(new Convolution(
                        direction, in.samples(), in.shape(), out.shape(), spec.windows(), spec.groups(), c.numbers()));
        c.workspace().require(plan.workspaceBytes(), direction == Direction.TO_FILTER && in.gradient() != null);
        return plan;
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
        run(forward, Direction.FORWARD, in.value(), weight, out.value());
        parameters.addBias(out);
    }

    @Override
    public void backward() {
        if (parameters.isTrained()) {
            c.differentiateParameters(in, this::differentiateParameters);
        }
        if (in.gradient() != null && toData != null) {
            run(toData, Direction.TO_DATA, in.gradient(), weight, Objects.requireNonNull(out.gradient()));
        }
    }

    private void differentiateParameters() {
        parameters.biasGradient(out);
        if (toFilter == null || weightGradient == null) {
            return;
        }
        run(toFilter, Direction.TO_FILTER, in.value(), weightGradient, Objects.requireNonNull(out.gradient()));
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

    /// @param x a value or gradient in the input's shape; likewise the others
    private void run(ConvolutionPlan plan, Direction direction, Buffer x, Buffer w, Buffer y) {
        CudaStatus.dnn(
                plan.run(c.gpu(), x, w, y, c.workspace().buffer()),
                "cudnnBackendExecute, %s by %s of %s".formatted(direction, plan.engine(), name));
    }
}
