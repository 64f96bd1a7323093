package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.CudaStatus;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.layer.Convolution.Direction;
import io.trainyard.spec.Shape;
import io.trainyard.spec.Windows;
import java.util.ArrayList;
import java.util.List;
import jcuda.jcublas.JCublas2;
import jcuda.jcublas.cublasComputeType;
import jcuda.jcublas.cublasGemmAlgo;
import jcuda.jcublas.cublasOperation;

/// Runs one small product, or one small convolution in each direction. cuBLAS and cuDNN load their code on first
/// use and allocate some hundred MiB of unknown size, so the free memory is queried afterwards.
public final class LibraryWarmUp {
    private static final int CHANNELS = 8;
    private static final int SIZE = 8;

    private static final Windows WINDOWS =
            new Windows(new Windows.Side(3, 1, 1, 1, 1, false), new Windows.Side(3, 1, 1, 1, 1, false));

    private final Gpu gpu;
    private final Numbers numbers;
    private final Arena arena;
    private final Buffer first;
    private final Buffer second;
    private final Buffer product;

    private LibraryWarmUp(Gpu gpu, Numbers numbers) {
        this.gpu = gpu;
        this.numbers = numbers;
        this.arena = new Arena(gpu);
        long bytes = (long) CHANNELS * CHANNELS * SIZE * SIZE * Float.BYTES; // the size of the largest buffer
        first = arena.reserve(bytes, "a factor of the warm-up");
        second = arena.reserve(bytes, "a factor of the warm-up");
        product = arena.reserve(bytes, "a product of the warm-up");
    }

    public static void run(Gpu gpu, Numbers numbers, boolean convolves) {
        LibraryWarmUp warmUp = new LibraryWarmUp(gpu, numbers);
        if (convolves) {
            warmUp.convolve();
        } else {
            warmUp.arena.allocate();
        }
        warmUp.multiply();
        gpu.compute().synchronize();
        warmUp.arena.free();
    }

    private void multiply() {
        CudaStatus.blas(
                JCublas2.cublasGemmEx_new(
                        gpu.blas(),
                        cublasOperation.CUBLAS_OP_N,
                        cublasOperation.CUBLAS_OP_N,
                        SIZE,
                        SIZE,
                        SIZE,
                        CudaLinear.ONE,
                        gpu.at(first),
                        numbers.blasType(),
                        SIZE,
                        gpu.at(second),
                        numbers.blasType(),
                        SIZE,
                        CudaLinear.ZERO,
                        gpu.at(product),
                        numbers.blasType(),
                        SIZE,
                        cublasComputeType.CUBLAS_COMPUTE_32F,
                        cublasGemmAlgo.CUBLAS_GEMM_DEFAULT),
                "cublasGemmEx of the warm-up");
    }

    private void convolve() {
        Shape shape = Shape.of(CHANNELS, SIZE, SIZE);
        List<ConvolutionPlan> plans = new ArrayList<>();
        for (Direction direction : Direction.values()) {
            Convolution convolution = new Convolution(direction, 1, shape, shape, WINDOWS, 1, numbers);
            var device = GraphDescriptors.of(gpu.dnn());
            ConvolutionPlan plan = ConvolutionPlan.of(
                            ConvolutionPlan.offered(device, convolution), 1, device, convolution, gpu.name())
                    .getFirst();
            gpu.onClose(plan::close);
            plans.add(plan);
        }
        long bytes =
                plans.stream().mapToLong(ConvolutionPlan::workspaceBytes).max().orElseThrow();
        Buffer workspace = arena.reserve(bytes, "the workspace of the warm-up");
        arena.allocate();
        for (ConvolutionPlan plan : plans) {
            CudaStatus.dnn(plan.run(gpu, first, second, product, workspace), "the warm-up of cuDNN, " + plan.engine());
        }
    }
}
