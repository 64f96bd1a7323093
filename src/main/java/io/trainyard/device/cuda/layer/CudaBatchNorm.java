package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Status;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import java.util.Objects;
import java.util.Optional;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnBatchNormMode;
import jcuda.jcudnn.cudnnTensorDescriptor;
import org.jspecify.annotations.Nullable;

/// Batch norm by cuDNN, to which a vector is an image of one pixel. Its parameters and statistics are float32 in each
/// precision.
final class CudaBatchNorm implements CudaLayer {
    private static final int SPATIAL = cudnnBatchNormMode.CUDNN_BATCHNORM_SPATIAL;

    private final BatchNorm spec;
    private final Compilation c;
    private final BatchTensor in;
    private final BatchTensor out;
    private final String name;
    private final Buffer weight; // (channels), as all below; without a trained one full of ones
    private final Buffer weightGradient;
    private final Buffer bias;
    private final Buffer biasGradient;
    private final Buffer runningMean;
    private final Buffer runningVariance;
    private final @Nullable Buffer batchMean; // what the running ones take in; null where cuDNN has them do so
    private final @Nullable Buffer batchVariance;
    private final Buffer batches; // one float: how many the running ones are of
    private final Buffer mean; // of the batch
    private final Buffer inverseDeviation;
    private final Buffer unwanted; // where nobody asks for the input's gradient, cuDNN computes it all the same
    private final cudnnTensorDescriptor image;
    private final cudnnTensorDescriptor channels;

    CudaBatchNorm(BatchNorm spec, Network.Layer layer, BatchTensor in, Compilation c, Descriptors descriptors) {
        this.spec = spec;
        this.c = c;
        this.in = in;
        this.name = layer.name();
        this.out = c.output(layer.out(), true, name);
        this.weight = value(layer, "weight");
        this.weightGradient = gradient(layer, "weight");
        this.bias = value(layer, "bias");
        this.biasGradient = gradient(layer, "bias");
        this.runningMean = value(layer, "running_mean");
        this.runningVariance = value(layer, "running_var");
        this.batches = value(layer, "num_batches_tracked");
        boolean cumulative = c.training() && spec.momentum().isCumulative();
        this.batchMean = cumulative ? c.arena().reserve(runningMean.bytes(), "the newest mean of layer " + name) : null;
        this.batchVariance =
                cumulative ? c.arena().reserve(runningMean.bytes(), "the newest variance of layer " + name) : null;
        this.mean = c.arena().reserve(runningMean.bytes(), "the batch's mean of layer " + name);
        this.inverseDeviation = c.arena().reserve(runningMean.bytes(), "the batch's deviation of layer " + name);
        Buffer wanted = in.gradient();
        this.unwanted = c.training() && wanted == null ? c.gradient(layer.in(), "before " + name) : out.value();
        this.image = descriptors.tensor(in);
        this.channels = descriptors.channels(image);
    }

    /// Of a parameter or buffer; without a trained weight and bias, room for what stands for them.
    private Buffer value(Network.Layer layer, String parameter) {
        return named(layer, parameter).map(c.parameters()::value).orElseGet(() -> constant(parameter));
    }

    private Buffer gradient(Network.Layer layer, String parameter) {
        return named(layer, parameter)
                .map(c.parameters()::gradient)
                .orElseGet(() -> constant("gradient of the " + parameter));
    }

    private static Optional<ParameterSpec> named(Network.Layer layer, String parameter) {
        return layer.parameters().stream()
                .filter(spec -> spec.name().equals(layer.name() + "." + parameter))
                .findFirst();
    }

    private Buffer constant(String what) {
        return c.arena()
                .reserve((long) in.channels() * Float.BYTES, "the constant %s of layer %s".formatted(what, name));
    }

    @Override
    public BatchTensor out() {
        return out;
    }

    @Override
    public boolean needsOutput() {
        return false;
    }

    @Override
    public void forward() {
        Gpu gpu = c.gpu();
        if (!spec.affine()) {
            c.kernels().launch("fill", in.channels(), weight, in.channels(), 1f);
            c.kernels().launch("fill", in.channels(), bias, in.channels(), 0f);
        }
        if (batchMean != null && batchVariance != null) { // cuDNN adds what is there times 0, which of NaN is NaN
            c.kernels().launch("fill", in.channels(), batchMean, in.channels(), 0f);
            c.kernels().launch("fill", in.channels(), batchVariance, in.channels(), 0f);
        }
        if (c.training()) {
            Status.dnn(
                    JCudnn.cudnnBatchNormalizationForwardTraining(
                            gpu.dnn(),
                            SPATIAL,
                            Descriptors.ONE,
                            Descriptors.ZERO,
                            image,
                            gpu.at(in.value()),
                            image,
                            gpu.at(out.value()),
                            channels,
                            gpu.at(weight),
                            gpu.at(bias),
                            spec.momentum().weight(0),
                            gpu.at(Objects.requireNonNullElse(batchMean, runningMean)),
                            gpu.at(Objects.requireNonNullElse(batchVariance, runningVariance)),
                            (float) spec.eps(),
                            gpu.at(mean),
                            gpu.at(inverseDeviation)),
                    "cudnnBatchNormalizationForwardTraining of layer " + name);
            if (batchMean != null && batchVariance != null) {
                takeIn(batchMean, batchVariance);
            }
        } else {
            Status.dnn(
                    JCudnn.cudnnBatchNormalizationForwardInference(
                            gpu.dnn(),
                            SPATIAL,
                            Descriptors.ONE,
                            Descriptors.ZERO,
                            image,
                            gpu.at(in.value()),
                            image,
                            gpu.at(out.value()),
                            channels,
                            gpu.at(weight),
                            gpu.at(bias),
                            gpu.at(runningMean),
                            gpu.at(runningVariance),
                            (float) spec.eps()),
                    "cudnnBatchNormalizationForwardInference of layer " + name);
        }
    }

    /// A step is recorded once, with the weight of the newest batch that it gives cuDNN; this one changes.
    private void takeIn(Buffer newestMean, Buffer newestVariance) {
        c.kernels()
                .launchBlocks(
                        "take_in_statistics",
                        1,
                        runningMean,
                        runningVariance,
                        batches,
                        newestMean,
                        newestVariance,
                        in.channels());
    }

    @Override
    public void backward() {
        Gpu gpu = c.gpu();
        Status.dnn(
                JCudnn.cudnnBatchNormalizationBackward(
                        gpu.dnn(),
                        SPATIAL,
                        Descriptors.ONE,
                        Descriptors.ZERO,
                        Descriptors.ONE,
                        Descriptors.ZERO,
                        image,
                        gpu.at(in.value()),
                        image,
                        gpu.at(Objects.requireNonNull(out.gradient())),
                        image,
                        gpu.at(Objects.requireNonNullElse(in.gradient(), unwanted)),
                        channels,
                        gpu.at(weight),
                        gpu.at(weightGradient),
                        gpu.at(biasGradient),
                        (float) spec.eps(),
                        gpu.at(mean),
                        gpu.at(inverseDeviation)),
                "cudnnBatchNormalizationBackward of layer " + name);
    }
}
