package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.CudaStatus;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.spec.Windows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jcuda.Pointer;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnNanPropagation;
import jcuda.jcudnn.cudnnPoolingDescriptor;
import jcuda.jcudnn.cudnnPoolingMode;
import jcuda.jcudnn.cudnnTensorDescriptor;

public final class Descriptors {
    /// cuDNN's and cuBLAS's alpha and beta. Off-heap, because an array would block the garbage collector.
    static final Pointer ONE = scalar(1);

    static final Pointer ZERO = scalar(0);

    private final Gpu gpu;
    private final Numbers numbers;

    public Descriptors(Gpu gpu, Numbers numbers) {
        this.gpu = gpu;
        this.numbers = numbers;
    }

    private static Pointer scalar(float value) {
        return Pointer.to(ByteBuffer.allocateDirect(Float.BYTES)
                .order(ByteOrder.nativeOrder())
                .putFloat(0, value));
    }

    /// Describes an image layer's input or output.
    cudnnTensorDescriptor tensor(BatchTensor of) {
        cudnnTensorDescriptor tensor = newTensor();
        CudaStatus.dnn(
                JCudnn.cudnnSetTensor4dDescriptor(
                        tensor,
                        numbers.format(),
                        numbers.dnnType(),
                        of.samples(),
                        of.channels(),
                        of.rows(),
                        of.columns()),
                "cudnnSetTensor4dDescriptor of " + of.shape());
        return tensor;
    }

    private cudnnTensorDescriptor newTensor() {
        cudnnTensorDescriptor tensor = new cudnnTensorDescriptor();
        CudaStatus.dnn(JCudnn.cudnnCreateTensorDescriptor(tensor), "cudnnCreateTensorDescriptor");
        gpu.onClose(() -> JCudnn.cudnnDestroyTensorDescriptor(tensor));
        return tensor;
    }

    /// @param countPadding whether padding zeros count as values
    cudnnPoolingDescriptor averagePooling(Windows windows, boolean countPadding) {
        Windows.Side rows = windows.rows();
        Windows.Side columns = windows.columns();
        cudnnPoolingDescriptor pooling = new cudnnPoolingDescriptor();
        CudaStatus.dnn(JCudnn.cudnnCreatePoolingDescriptor(pooling), "cudnnCreatePoolingDescriptor");
        gpu.onClose(() -> JCudnn.cudnnDestroyPoolingDescriptor(pooling));
        CudaStatus.dnn(
                JCudnn.cudnnSetPooling2dDescriptor(
                        pooling,
                        countPadding
                                ? cudnnPoolingMode.CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                                : cudnnPoolingMode.CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                        cudnnNanPropagation.CUDNN_PROPAGATE_NAN,
                        rows.taps(),
                        columns.taps(),
                        rows.before(),
                        columns.before(),
                        rows.stride(),
                        columns.stride()),
                "cudnnSetPooling2dDescriptor");
        return pooling;
    }
}
