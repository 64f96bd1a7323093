package io.trainyard.device.cuda.layer;

import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;
import java.util.List;
import jcuda.cudaDataType;
import jcuda.jcublas.cublasMath;
import jcuda.jcudnn.cudnnDataType;
import jcuda.jcudnn.cudnnMathType;
import jcuda.jcudnn.cudnnTensorFormat;

/// How a precision is computed: what activations are made of and how they lie in memory. Parameters are float32
/// always.
///
/// @param channelsLast images are (samples, rows, columns, channels), as tensor cores take them, and not (samples,
///     channels, rows, columns)
/// @param valueBytes of one value of an activation
/// @param dnnType cuDNN's name for such a value
/// @param blasType cuBLAS's name for such a value
/// @param dnnMath what cuDNN may do to convolve
/// @param blasMath what cuBLAS may do to multiply
/// @param options for the kernels' compiler. Additions are fused with multiplications only where the sources
///     say so, so that the updates' bits are those of the CPU
public record Numbers(
        boolean channelsLast,
        int valueBytes,
        int dnnType,
        int blasType,
        int dnnMath,
        int blasMath,
        List<String> options) {
    private static final String UNFUSED = "--fmad=false";

    /// Channels in and out from which on tensor cores compute a float32 convolution faster with channels last. On an
    /// H100 ResNet-18 in tf32 gains a fifth; networks with fewer channels lose up to two thirds.
    private static final int WIDE = 64;

    /// With the layout in which the network is fastest.
    public static Numbers of(Precision precision, Network network) {
        Numbers usual = of(precision);
        return precision == Precision.TF32 && isWide(network)
                ? new Numbers(
                        true,
                        usual.valueBytes,
                        usual.dnnType,
                        usual.blasType,
                        usual.dnnMath,
                        usual.blasMath,
                        usual.options)
                : usual;
    }

    public static Numbers of(Precision precision) {
        return switch (precision) {
            case FP32 -> // cuDNN's default math would take TensorFloat-32
                new Numbers(
                        false,
                        Float.BYTES,
                        cudnnDataType.CUDNN_DATA_FLOAT,
                        cudaDataType.CUDA_R_32F,
                        cudnnMathType.CUDNN_FMA_MATH,
                        cublasMath.CUBLAS_DEFAULT_MATH,
                        List.of(UNFUSED));
            case TF32 ->
                new Numbers(
                        false,
                        Float.BYTES,
                        cudnnDataType.CUDNN_DATA_FLOAT,
                        cudaDataType.CUDA_R_32F,
                        cudnnMathType.CUDNN_DEFAULT_MATH,
                        cublasMath.CUBLAS_TF32_TENSOR_OP_MATH,
                        List.of(UNFUSED));
            case BF16 ->
                new Numbers(
                        true,
                        Short.BYTES,
                        cudnnDataType.CUDNN_DATA_BFLOAT16,
                        cudaDataType.CUDA_R_16BF,
                        cudnnMathType.CUDNN_TENSOR_OP_MATH,
                        cublasMath.CUBLAS_DEFAULT_MATH,
                        List.of(UNFUSED, "-DTRAINYARD_BF16"));
        };
    }

    /// Whether all convolutions have many channels, except those that read the input.
    private static boolean isWide(Network network) {
        int inputChannels = network.input().size(0);
        List<Network.Layer> convolutions = network.allLayers().stream()
                .filter(layer -> layer.spec() instanceof Conv2d && layer.in().size(0) != inputChannels)
                .toList();
        return !convolutions.isEmpty()
                && convolutions.stream()
                        .allMatch(layer -> layer.spec() instanceof Conv2d conv
                                && conv.groups() == 1
                                && layer.in().size(0) >= WIDE
                                && conv.out() >= WIDE);
    }

    /// What cuDNN's choice of an algorithm depends on, in words.
    String ofConvolutions() {
        return "cuDNN's type %d, format %d, math %d".formatted(dnnType, format(), dnnMath);
    }

    int format() {
        return channelsLast ? cudnnTensorFormat.CUDNN_TENSOR_NHWC : cudnnTensorFormat.CUDNN_TENSOR_NCHW;
    }

    /// As kernels take it.
    public int channelsLastFlag() {
        return channelsLast ? 1 : 0;
    }

    /// Whether parameters must be converted before convolutions and products take them.
    public boolean converts() {
        return valueBytes != Float.BYTES;
    }
}
