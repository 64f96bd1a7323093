package io.trainyard.device.cuda.layer;

import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;
import java.util.List;
import jcuda.cudaDataType;
import jcuda.jcublas.cublasMath;
import jcuda.jcudnn.cudnnDataType;

/// The data types and memory layout of a precision. Parameters are always float32.
///
/// @param channelsLast whether images are (samples, rows, columns, channels), as tensor cores need them, instead of
///     (samples, channels, rows, columns)
public record Numbers(Precision precision, boolean channelsLast) {
    /// The number of input and output channels from which tensor cores compute a float32 convolution faster with
    /// channels last. On an H100, ResNet-18 in tf32 gains a fifth; networks with fewer channels lose up to two
    /// thirds.
    private static final int WIDE = 64;

    /// With the layout that is fastest for the network.
    public static Numbers of(Precision precision, Network network) {
        return precision == Precision.TF32 && isWide(network) ? new Numbers(precision, true) : of(precision);
    }

    public static Numbers of(Precision precision) {
        return new Numbers(precision, precision == Precision.BF16);
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

    /// The bytes of one activation value.
    public int valueBytes() {
        return converts() ? Short.BYTES : Float.BYTES;
    }

    /// cuDNN's type of an activation value.
    int dnnType() {
        return converts() ? cudnnDataType.CUDNN_DATA_BFLOAT16 : cudnnDataType.CUDNN_DATA_FLOAT;
    }

    /// cuBLAS's type of an activation value.
    int blasType() {
        return converts() ? cudaDataType.CUDA_R_16BF : cudaDataType.CUDA_R_32F;
    }

    public int blasMath() {
        return precision == Precision.TF32 ? cublasMath.CUBLAS_TF32_TENSOR_OP_MATH : cublasMath.CUBLAS_DEFAULT_MATH;
    }

    /// For the kernel compiler. Multiplications and additions are fused only where the sources say so, so that
    /// updates have the bits of the CPU.
    public List<String> options() {
        return converts() ? List.of("--fmad=false", "-DTRAINYARD_BF16") : List.of("--fmad=false");
    }

    /// As a kernel argument.
    public int channelsLastFlag() {
        return channelsLast ? 1 : 0;
    }

    /// Whether parameters must be converted for convolutions and products.
    public boolean converts() {
        return precision == Precision.BF16;
    }
}
