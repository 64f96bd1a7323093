package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Status;
import io.trainyard.spec.LayerSpec.BatchNorm2d;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import java.util.Objects;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnBatchNormMode;
import jcuda.jcudnn.cudnnTensorDescriptor;

/// Batch norm by cuDNN. Its parameters and statistics are float32 in each precision.
final class CudaBatchNorm2d implements CudaLayer {
    private static final int SPATIAL = cudnnBatchNormMode.CUDNN_BATCHNORM_SPATIAL;

    private final Compilation c;
    private final BatchTensor in;
    private final BatchTensor out;
    private final String name;
    private final ParameterSpec weight;
    private final ParameterSpec bias;
    private final Buffer runningMean;
    private final Buffer runningVariance;
    private final Buffer mean; // of the batch
    private final Buffer inverseDeviation;
    private final Buffer unwanted; // where nobody asks for the input's gradient, cuDNN computes it all the same
    private final cudnnTensorDescriptor image;
    private final cudnnTensorDescriptor channels;

    CudaBatchNorm2d(Network.Layer layer, BatchTensor in, Compilation c, Descriptors descriptors) {
        this.c = c;
        this.in = in;
        this.name = layer.name();
        this.out = c.output(layer.out(), true, name);
        this.weight = layer.parameters().get(0);
        this.bias = layer.parameters().get(1);
        this.runningMean = c.parameters().value(layer.parameters().get(2));
        this.runningVariance = c.parameters().value(layer.parameters().get(3));
        this.mean = c.arena().reserve(runningMean.bytes(), "the batch's mean of layer " + name);
        this.inverseDeviation = c.arena().reserve(runningMean.bytes(), "the batch's deviation of layer " + name);
        Buffer wanted = in.gradient();
        this.unwanted = c.training() && wanted == null ? c.gradient(layer.in(), "before " + name) : out.value();
        this.image = descriptors.tensor(in);
        this.channels = descriptors.channels(image);
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
                            gpu.at(c.parameters().value(weight)),
                            gpu.at(c.parameters().value(bias)),
                            BatchNorm2d.MOMENTUM,
                            gpu.at(runningMean),
                            gpu.at(runningVariance),
                            BatchNorm2d.EPSILON,
                            gpu.at(mean),
                            gpu.at(inverseDeviation)),
                    "cudnnBatchNormalizationForwardTraining of layer " + name);
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
                            gpu.at(c.parameters().value(weight)),
                            gpu.at(c.parameters().value(bias)),
                            gpu.at(runningMean),
                            gpu.at(runningVariance),
                            BatchNorm2d.EPSILON),
                    "cudnnBatchNormalizationForwardInference of layer " + name);
        }
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
                        gpu.at(c.parameters().value(weight)),
                        gpu.at(c.parameters().gradient(weight)),
                        gpu.at(c.parameters().gradient(bias)),
                        BatchNorm2d.EPSILON,
                        gpu.at(mean),
                        gpu.at(inverseDeviation)),
                "cudnnBatchNormalizationBackward of layer " + name);
    }
}
