package io.trainyard.device.cuda.layer;

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
/// @param channelsLast images are (samples, rows, columns, channels), as tensor cores take bfloat16, and not
///     (samples, channels, rows, columns)
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

    /// Whether values are float32's throughout, and checked one by one.
    boolean isExact() {
        return dnnMath == cudnnMathType.CUDNN_FMA_MATH;
    }

    /// Whether parameters must be converted before convolutions and products take them.
    public boolean converts() {
        return valueBytes != Float.BYTES;
    }
}
