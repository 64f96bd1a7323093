package io.trainyard.device.cuda.layer;

import static io.trainyard.device.cuda.layer.Descriptors.ONE;
import static io.trainyard.device.cuda.layer.Descriptors.ZERO;

import io.trainyard.device.DeviceException;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.CudaStatus;
import io.trainyard.device.cuda.driver.Gpu;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import jcuda.Pointer;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnConvolutionBwdDataAlgoPerf;
import jcuda.jcudnn.cudnnConvolutionBwdFilterAlgoPerf;
import jcuda.jcudnn.cudnnConvolutionDescriptor;
import jcuda.jcudnn.cudnnConvolutionFwdAlgo;
import jcuda.jcudnn.cudnnConvolutionFwdAlgoPerf;
import jcuda.jcudnn.cudnnDeterminism;
import jcuda.jcudnn.cudnnFilterDescriptor;
import jcuda.jcudnn.cudnnHandle;
import jcuda.jcudnn.cudnnTensorDescriptor;

/// A deterministic cuDNN algorithm for one direction of a convolution.
///
/// @param number cuDNN's number in that direction
/// @param workspaceBytes required scratch memory
record ConvolutionAlgorithm(int number, long workspaceBytes) {
    /// The limit for an algorithm's workspace.
    private static final long MAX_WORKSPACE_BYTES = 512L << 20;

    /// Winograd and FFT spread non-finite values to other samples of the batch, as measured on an H100. In the
    /// forward direction no sample's result may depend on another sample. Weight gradients are sums over the batch
    /// anyway.
    private static final Set<Integer> TRANSFORMING = Set.of(
            cudnnConvolutionFwdAlgo.CUDNN_CONVOLUTION_FWD_ALGO_FFT,
            cudnnConvolutionFwdAlgo.CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING,
            cudnnConvolutionFwdAlgo.CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD,
            cudnnConvolutionFwdAlgo.CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED);

    /// More than cuDNN has for any direction.
    private static final int MAX_FOUND = 16;

    enum Direction {
        FORWARD,
        TO_FILTER,
        TO_DATA
    }

    private record Found(int status, int number, int determinism, long workspaceBytes) {}

    /// The descriptors of one convolution.
    ///
    /// @param bytes of x, w and y
    record Shapes(
            cudnnTensorDescriptor x,
            cudnnFilterDescriptor w,
            cudnnConvolutionDescriptor convolution,
            cudnnTensorDescriptor y,
            Bytes bytes) {}

    record Bytes(long x, long w, long y) {}

    /// The buffers by direction, two inputs and the product: forward x, w and y; to the filter x, y and w; to the
    /// data w, y and x.
    record Operands(Buffer first, Buffer second, Buffer product, Buffer workspace) {
        static Operands of(Direction direction, Buffer x, Buffer w, Buffer y, Buffer workspace) {
            return switch (direction) {
                case FORWARD -> new Operands(x, w, y, workspace);
                case TO_FILTER -> new Operands(x, y, w, workspace);
                case TO_DATA -> new Operands(w, y, x, workspace);
            };
        }
    }

    static ConvolutionAlgorithm first(Gpu gpu, Direction direction, String convolution, Shapes shapes) {
        return candidates(gpu, direction, convolution, shapes).getFirst();
    }

    /// The deterministic algorithms within the workspace limit, in the order of cuDNN's heuristic.
    ///
    /// The heuristic's math type is ignored, because the descriptor keeps the job's own. So the workspace is
    /// queried for the algorithm with this descriptor, and an algorithm without this math type is skipped. cuDNN's
    /// sizes are unsigned 64-bit numbers, and some results exceeded all bounds; they are negative here.
    ///
    /// @param convolution description of shapes, options and precision
    /// @throws DeviceException if cuDNN has none for these shapes; the message has the shapes
    static List<ConvolutionAlgorithm> candidates(Gpu gpu, Direction direction, String convolution, Shapes shapes) {
        List<Integer> numbers = found(gpu, direction, convolution, shapes)
                .filter(found -> found.status() == 0
                        && found.determinism() == cudnnDeterminism.CUDNN_DETERMINISTIC
                        && found.workspaceBytes() >= 0)
                .map(Found::number)
                .filter(number -> direction != Direction.FORWARD || !TRANSFORMING.contains(number))
                .distinct()
                .toList();
        List<ConvolutionAlgorithm> candidates = new ArrayList<>();
        for (int number : numbers) {
            long[] bytes = {-1};
            int status = workspaceBytes(gpu, direction, shapes, number, bytes);
            if (status == 0 && bytes[0] >= 0 && bytes[0] <= MAX_WORKSPACE_BYTES) {
                candidates.add(new ConvolutionAlgorithm(number, bytes[0]));
            }
        }
        if (candidates.isEmpty()) {
            gpu.compute().synchronize(); // a lost context would be the reason
            throw new DeviceException(
                    "cuDNN has no deterministic algorithm with up to %d MiB of workspace for the direction %s of %s on %s; choose another shape or precision"
                            .formatted(MAX_WORKSPACE_BYTES >> 20, direction, convolution, gpu.name()));
        }
        return candidates;
    }

    /// @param bytes receives the size if cuDNN has the algorithm
    /// @return cuDNN's status
    private static int workspaceBytes(Gpu gpu, Direction direction, Shapes s, int number, long[] bytes) {
        return switch (direction) {
            case FORWARD ->
                JCudnn.cudnnGetConvolutionForwardWorkspaceSize(
                        gpu.dnn(), s.x(), s.w(), s.convolution(), s.y(), number, bytes);
            case TO_FILTER ->
                JCudnn.cudnnGetConvolutionBackwardFilterWorkspaceSize(
                        gpu.dnn(), s.x(), s.y(), s.convolution(), s.w(), number, bytes);
            case TO_DATA ->
                JCudnn.cudnnGetConvolutionBackwardDataWorkspaceSize(
                        gpu.dnn(), s.w(), s.y(), s.convolution(), s.x(), number, bytes);
        };
    }

    private static Stream<Found> found(Gpu gpu, Direction direction, String convolution, Shapes shapes) {
        try {
            return switch (direction) {
                case FORWARD -> forward(gpu, shapes);
                case TO_FILTER -> toFilter(gpu, shapes);
                case TO_DATA -> toData(gpu, shapes);
            };
        } catch (ArrayIndexOutOfBoundsException e) { // JCudnn reads a count that cuDNN does not write on failure
            throw new DeviceException(
                    "cuDNN refuses to choose an algorithm for the direction %s of %s on %s; choose another shape or precision"
                            .formatted(direction, convolution, gpu.name()),
                    e);
        }
    }

    private static Stream<Found> forward(Gpu gpu, Shapes shapes) {
        int[] count = new int[1];
        var found = fill(new cudnnConvolutionFwdAlgoPerf[MAX_FOUND], cudnnConvolutionFwdAlgoPerf::new);
        CudaStatus.dnn(
                JCudnn.cudnnGetConvolutionForwardAlgorithm_v7(
                        gpu.dnn(), shapes.x(), shapes.w(), shapes.convolution(), shapes.y(), MAX_FOUND, count, found),
                "cudnnGetConvolutionForwardAlgorithm_v7");
        return IntStream.range(0, count[0])
                .mapToObj(i -> found[i])
                .map(f -> new Found(f.status, f.algo, f.determinism, f.memory));
    }

    private static Stream<Found> toFilter(Gpu gpu, Shapes shapes) {
        int[] count = new int[1];
        var found = fill(new cudnnConvolutionBwdFilterAlgoPerf[MAX_FOUND], cudnnConvolutionBwdFilterAlgoPerf::new);
        CudaStatus.dnn(
                JCudnn.cudnnGetConvolutionBackwardFilterAlgorithm_v7(
                        gpu.dnn(), shapes.x(), shapes.y(), shapes.convolution(), shapes.w(), MAX_FOUND, count, found),
                "cudnnGetConvolutionBackwardFilterAlgorithm_v7");
        return IntStream.range(0, count[0])
                .mapToObj(i -> found[i])
                .map(f -> new Found(f.status, f.algo, f.determinism, f.memory));
    }

    private static Stream<Found> toData(Gpu gpu, Shapes shapes) {
        int[] count = new int[1];
        var found = fill(new cudnnConvolutionBwdDataAlgoPerf[MAX_FOUND], cudnnConvolutionBwdDataAlgoPerf::new);
        CudaStatus.dnn(
                JCudnn.cudnnGetConvolutionBackwardDataAlgorithm_v7(
                        gpu.dnn(), shapes.w(), shapes.y(), shapes.convolution(), shapes.x(), MAX_FOUND, count, found),
                "cudnnGetConvolutionBackwardDataAlgorithm_v7");
        return IntStream.range(0, count[0])
                .mapToObj(i -> found[i])
                .map(f -> new Found(f.status, f.algo, f.determinism, f.memory));
    }

    /// Enqueues the convolution.
    ///
    /// @return cuDNN's status
    int run(Gpu gpu, Direction direction, Shapes s, Operands on) {
        cudnnHandle dnn = gpu.dnn();
        Pointer a = gpu.at(on.first());
        Pointer b = gpu.at(on.second());
        Pointer to = gpu.at(on.product());
        Pointer space = gpu.at(on.workspace());
        cudnnConvolutionDescriptor shape = s.convolution();
        return switch (direction) {
            case FORWARD ->
                JCudnn.cudnnConvolutionForward(
                        dnn, ONE, s.x(), a, s.w(), b, shape, number, space, workspaceBytes, ZERO, s.y(), to);
            case TO_FILTER ->
                JCudnn.cudnnConvolutionBackwardFilter(
                        dnn, ONE, s.x(), a, s.y(), b, shape, number, space, workspaceBytes, ZERO, s.w(), to);
            case TO_DATA ->
                JCudnn.cudnnConvolutionBackwardData(
                        dnn, ONE, s.w(), a, s.y(), b, shape, number, space, workspaceBytes, ZERO, s.x(), to);
        };
    }

    private static <T> T[] fill(T[] array, Supplier<T> maker) {
        for (int i = 0; i < array.length; i++) {
            array[i] = maker.get();
        }
        return array;
    }
}
