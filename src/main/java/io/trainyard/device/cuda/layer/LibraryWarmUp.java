package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.CudaStatus;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.layer.ConvolutionAlgorithm.Direction;
import io.trainyard.spec.Extent;
import io.trainyard.spec.Shape;
import io.trainyard.spec.Windows;
import jcuda.jcublas.JCublas2;
import jcuda.jcublas.cublasComputeType;
import jcuda.jcublas.cublasGemmAlgo;
import jcuda.jcublas.cublasOperation;
import jcuda.jcudnn.cudnnConvolutionDescriptor;
import jcuda.jcudnn.cudnnFilterDescriptor;
import jcuda.jcudnn.cudnnTensorDescriptor;

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
            warmUp.convolve(new Descriptors(gpu, numbers));
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
                        Descriptors.ONE,
                        gpu.at(first),
                        numbers.blasType(),
                        SIZE,
                        gpu.at(second),
                        numbers.blasType(),
                        SIZE,
                        Descriptors.ZERO,
                        gpu.at(product),
                        numbers.blasType(),
                        SIZE,
                        cublasComputeType.CUBLAS_COMPUTE_32F,
                        cublasGemmAlgo.CUBLAS_GEMM_DEFAULT),
                "cublasGemmEx of the warm-up");
    }

    private void convolve(Descriptors descriptors) {
        cudnnTensorDescriptor images =
                descriptors.tensor(new BatchTensor(1, Shape.of(CHANNELS, SIZE, SIZE), first, null));
        cudnnFilterDescriptor filter = descriptors.filter(CHANNELS, CHANNELS, new Extent(3, 3));
        cudnnConvolutionDescriptor how = descriptors.convolution(WINDOWS, 1);
        ConvolutionAlgorithm.Shapes shapes = new ConvolutionAlgorithm.Shapes(
                images,
                filter,
                how,
                images,
                new ConvolutionAlgorithm.Bytes(first.bytes(), second.bytes(), product.bytes()));
        ConvolutionAlgorithm[] chosen = new ConvolutionAlgorithm[Direction.values().length];
        long bytes = 0;
        for (Direction direction : Direction.values()) {
            ConvolutionAlgorithm algorithm =
                    ConvolutionAlgorithm.first(gpu, direction, "the warm-up in " + numbers, shapes);
            chosen[direction.ordinal()] = algorithm;
            bytes = Math.max(bytes, algorithm.workspaceBytes());
        }
        Buffer workspace = arena.reserve(bytes, "the workspace of the warm-up");
        arena.allocate();
        for (Direction direction : Direction.values()) {
            ConvolutionAlgorithm algorithm = chosen[direction.ordinal()];
            CudaStatus.dnn(
                    algorithm.run(
                            gpu,
                            direction,
                            shapes,
                            new ConvolutionAlgorithm.Operands(first, second, product, workspace)),
                    "the warm-up of cuDNN, " + direction);
        }
    }
}
