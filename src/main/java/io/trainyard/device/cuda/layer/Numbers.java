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

/// The data types and memory layout of a precision. Parameters are always float32.
///
/// @param channelsLast whether images are (samples, rows, columns, channels), as tensor cores need them, instead of
///     (samples, channels, rows, columns)
/// @param valueBytes of one activation value
/// @param dnnType cuDNN's type of such a value
/// @param blasType cuBLAS's type of such a value
/// @param dnnMath allowed math of cuDNN's convolutions
/// @param blasMath allowed math of cuBLAS's products
/// @param options for the kernel compiler. Multiplications and additions are fused only where the sources say so,
///     so that updates have the bits of the CPU
public record Numbers(
        boolean channelsLast,
        int valueBytes,
        int dnnType,
        int blasType,
        int dnnMath,
        int blasMath,
        List<String> options) {
    private static final String UNFUSED = "--fmad=false";

    /// The number of input and output channels from which tensor cores compute a float32 convolution faster with
    /// channels last. On an H100, ResNet-18 in tf32 gains a fifth; networks with fewer channels lose up to two
    /// thirds.
    private static final int WIDE = 64;

    /// With the layout that is fastest for the network.
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
            case FP32 -> // cuDNN's default math would use TensorFloat-32
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

    /// A description of all settings that affect cuDNN's choice of an algorithm.
    String ofConvolutions() {
        return "cuDNN's type %d, format %d, math %d".formatted(dnnType, format(), dnnMath);
    }

    int format() {
        return channelsLast ? cudnnTensorFormat.CUDNN_TENSOR_NHWC : cudnnTensorFormat.CUDNN_TENSOR_NCHW;
    }

    /// As a kernel argument.
    public int channelsLastFlag() {
        return channelsLast ? 1 : 0;
    }

    /// Whether parameters must be converted for convolutions and products.
    public boolean converts() {
        return valueBytes != Float.BYTES;
    }
}
