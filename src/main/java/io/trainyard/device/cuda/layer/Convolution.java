package io.trainyard.device.cuda.layer;

import static jcuda.jcudnn.cudnnBackendAttributeName.*;
import static jcuda.jcudnn.cudnnBackendAttributeType.*;
import static jcuda.jcudnn.cudnnBackendDescriptorType.*;

import io.trainyard.device.cuda.layer.GraphDescriptors.Descriptor;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import io.trainyard.spec.Windows;
import jcuda.jcudnn.cudnnConvolutionMode;
import jcuda.jcudnn.cudnnDataType;

/// A convolution in one direction.
///
/// @param samples of the batch
record Convolution(
        Direction direction, int samples, Shape in, Shape out, Windows windows, int groups, Numbers numbers) {
    /// The tensors' identifiers in cuDNN's graph.
    static final long X = 1;

    static final long W = 2;
    static final long Y = 3;

    /// Kernels for tensor cores require it; all buffers are aligned to 256 bytes.
    private static final long ALIGNMENT = 16;

    enum Direction {
        FORWARD(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA),
        TO_FILTER(
                CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA),
        TO_DATA(
                CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA);

        private final int type;
        private final int alpha;

        /// @param type of cuDNN's operation
        /// @param alpha its first attribute; beta, the convolution, w, x and y follow
        Direction(int type, int alpha) {
            this.type = type;
            this.alpha = alpha;
        }
    }

    boolean allowsTensorCores() {
        return numbers.precision() != Precision.FP32;
    }

    /// All that affects cuDNN's choice.
    @Override
    public String toString() {
        return "%s of %d times %s, %d kernels of rows %s and columns %s, %d groups, %s, channels last: %s"
                .formatted(
                        direction,
                        samples,
                        in,
                        out.size(0),
                        windows.rows(),
                        windows.columns(),
                        groups,
                        numbers.precision(),
                        numbers.channelsLast());
    }

    long[] x() {
        return new long[] {samples, in.size(0), in.size(1), in.size(2)};
    }

    long[] w() {
        return new long[] {
            out.size(0),
            in.size(0) / groups,
            windows.rows().taps(),
            windows.columns().taps()
        };
    }

    long[] y() {
        return new long[] {samples, out.size(0), out.size(1), out.size(2)};
    }

    long bytes(long... size) {
        return size[0] * size[1] * size[2] * size[3] * numbers.valueBytes();
    }

    /// cuDNN's graph of this operation alone, with the padding before the image on all sides: see [CudaChain].
    Descriptor describe(GraphDescriptors descriptors) {
        Windows.Side rows = windows.rows();
        Windows.Side columns = windows.columns();
        Descriptor convolution = descriptors
                .create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR)
                .choice(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, cudnnDataType.CUDNN_DATA_FLOAT)
                .choice(
                        CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                        CUDNN_TYPE_CONVOLUTION_MODE,
                        cudnnConvolutionMode.CUDNN_CROSS_CORRELATION)
                .longs(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 2L)
                .longs(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, rows.before(), (long) columns.before())
                .longs(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, rows.before(), (long) columns.before())
                .longs(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, rows.stride(), (long) columns.stride())
                .longs(CUDNN_ATTR_CONVOLUTION_DILATIONS, rows.dilation(), (long) columns.dilation())
                .finish("the convolution of " + this);
        Descriptor operation = descriptors
                .create(direction.type)
                .number(direction.alpha, 1)
                .number(direction.alpha + 1, 0)
                .descriptors(direction.alpha + 2, convolution)
                .descriptors(direction.alpha + 3, tensor(descriptors, W, w()))
                .descriptors(direction.alpha + 4, tensor(descriptors, X, x()))
                .descriptors(direction.alpha + 5, tensor(descriptors, Y, y()))
                .finish("the operation of " + this);
        return descriptors
                .create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)
                .descriptors(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation)
                .finish("the graph of " + this);
    }

    private Descriptor tensor(GraphDescriptors descriptors, long id, long... size) {
        long area = size[2] * size[3];
        long sample = size[1] * area;
        return descriptors
                .create(CUDNN_BACKEND_TENSOR_DESCRIPTOR)
                .choice(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, numbers.dnnType())
                .longs(CUDNN_ATTR_TENSOR_DIMENSIONS, size)
                .longs(
                        CUDNN_ATTR_TENSOR_STRIDES,
                        numbers.channelsLast()
                                ? new long[] {sample, 1, size[3] * size[1], size[1]}
                                : new long[] {sample, area, size[3], 1})
                .longs(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
                .longs(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, ALIGNMENT)
                .finish("a tensor of " + this);
    }
}
