package io.trainyard.device.cuda.layer;

import io.trainyard.device.DeviceException;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Status;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnConvolutionBwdDataAlgoPerf;
import jcuda.jcudnn.cudnnConvolutionBwdFilterAlgoPerf;
import jcuda.jcudnn.cudnnConvolutionDescriptor;
import jcuda.jcudnn.cudnnConvolutionFwdAlgoPerf;
import jcuda.jcudnn.cudnnDeterminism;
import jcuda.jcudnn.cudnnFilterDescriptor;
import jcuda.jcudnn.cudnnTensorDescriptor;

/// How cuDNN computes one direction of a convolution: the deterministic algorithm that its own heuristic puts first.
/// Asked once for a shape and kept for the process. Not measured: two processes that measure may choose differently,
/// and a job that goes on in another would have other last bits.
///
/// @param number cuDNN's, of that direction
/// @param workspaceBytes the scratch memory it needs
record ConvolutionAlgorithm(int number, long workspaceBytes) {
    /// What an algorithm may ask for.
    private static final long MAX_WORKSPACE_BYTES = 512L << 20;

    /// More than cuDNN has for any direction.
    private static final int MAX_FOUND = 16;

    private static final Map<Key, ConvolutionAlgorithm> CHOSEN = new ConcurrentHashMap<>();

    enum Direction {
        FORWARD,
        TO_FILTER,
        TO_DATA
    }

    /// What a choice depends on.
    ///
    /// @param convolution shapes, options and precision, in words
    record Key(String gpu, Direction direction, String convolution) {}

    private record Found(int status, int number, int determinism, long workspaceBytes) {}

    /// The descriptors of one convolution.
    record Shapes(
            cudnnTensorDescriptor x,
            cudnnFilterDescriptor w,
            cudnnConvolutionDescriptor convolution,
            cudnnTensorDescriptor y) {}

    /// @throws DeviceException if cuDNN has none for these shapes; says which
    static ConvolutionAlgorithm choose(Gpu gpu, Direction direction, String convolution, Shapes shapes) {
        Key key = new Key(gpu.name(), direction, convolution);
        return CHOSEN.computeIfAbsent(
                key,
                _ -> first(key, () -> switch (direction) {
                    case FORWARD -> forward(gpu, shapes);
                    case TO_FILTER -> toFilter(gpu, shapes);
                    case TO_DATA -> toData(gpu, shapes);
                }));
    }

    private static ConvolutionAlgorithm first(Key key, Supplier<Stream<Found>> heuristic) {
        return found(key, heuristic)
                .filter(found -> found.status() == 0
                        && found.determinism() == cudnnDeterminism.CUDNN_DETERMINISTIC
                        && found.workspaceBytes() <= MAX_WORKSPACE_BYTES)
                .findFirst()
                .map(found -> new ConvolutionAlgorithm(found.number(), found.workspaceBytes()))
                .orElseThrow(() -> new DeviceException(
                        "cuDNN has no deterministic algorithm with up to %d MiB of workspace for the direction %s of %s on %s; choose another shape or precision"
                                .formatted(MAX_WORKSPACE_BYTES >> 20, key.direction(), key.convolution(), key.gpu())));
    }

    private static Stream<Found> found(Key key, Supplier<Stream<Found>> heuristic) {
        try {
            return heuristic.get();
        } catch (ArrayIndexOutOfBoundsException e) { // JCudnn reads a count that cuDNN, failing, has not written
            throw new DeviceException(
                    "cuDNN refuses to choose an algorithm for the direction %s of %s on %s; choose another shape or precision"
                            .formatted(key.direction(), key.convolution(), key.gpu()),
                    e);
        }
    }

    private static Stream<Found> forward(Gpu gpu, Shapes shapes) {
        int[] count = new int[1];
        var found = fill(new cudnnConvolutionFwdAlgoPerf[MAX_FOUND], cudnnConvolutionFwdAlgoPerf::new);
        Status.dnn(
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
        Status.dnn(
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
        Status.dnn(
                JCudnn.cudnnGetConvolutionBackwardDataAlgorithm_v7(
                        gpu.dnn(), shapes.w(), shapes.y(), shapes.convolution(), shapes.x(), MAX_FOUND, count, found),
                "cudnnGetConvolutionBackwardDataAlgorithm_v7");
        return IntStream.range(0, count[0])
                .mapToObj(i -> found[i])
                .map(f -> new Found(f.status, f.algo, f.determinism, f.memory));
    }

    private static <T> T[] fill(T[] array, Supplier<T> maker) {
        for (int i = 0; i < array.length; i++) {
            array[i] = maker.get();
        }
        return array;
    }
}
