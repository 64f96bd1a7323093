package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.CudaStatus;
import io.trainyard.spec.Network;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import jcuda.Pointer;
import jcuda.cudaDataType;
import jcuda.jcublas.JCublas2;
import jcuda.jcublas.cublasComputeType;
import jcuda.jcublas.cublasGemmAlgo;
import jcuda.jcublas.cublasOperation;

/// y (samples, out) = x (samples, in) W^T + b by cuBLAS. cuBLAS is column-major, so it sees each matrix transposed.
final class CudaLinear extends AbstractCudaLayer {
    /// cuBLAS's alpha and beta. Off-heap, because an array would block the garbage collector.
    static final Pointer ONE = scalar(1);

    static final Pointer ZERO = scalar(0);

    private static final int AS_IS = cublasOperation.CUBLAS_OP_N;
    private static final int TRANSPOSED = cublasOperation.CUBLAS_OP_T;

    private final String name;
    private final CudaWeightAndBias parameters;
    private final Buffer weight;

    /// A matrix as cuBLAS sees it.
    ///
    /// @param type cuBLAS's name of the value type
    /// @param leading the distance between two columns
    private record Matrix(Buffer values, int type, int leading) {}

    CudaLinear(Network.Layer layer, BatchTensor in, Compilation c) {
        super(c, in, c.output(layer.out(), layer.isDifferentiated(), layer.name()));
        this.name = layer.name();
        this.parameters = new CudaWeightAndBias(layer, in, out, c);
        this.weight = c.numbers().converts() ? parameters.packed() : parameters.weight();
    }

    @Override
    public boolean takeRelu() {
        return parameters.takeRelu();
    }

    @Override
    public void forward() {
        if (c.numbers().converts()) {
            c.kernels()
                    .launch(
                            "pack_values",
                            parameters.weightElements(),
                            weight,
                            parameters.weight(),
                            parameters.weightElements());
        }
        multiply(TRANSPOSED, weights(), AS_IS, values(in), values(out), width(out), in.samples(), width(in));
        parameters.addBias(out);
    }

    @Override
    public void backward() {
        if (parameters.isTrained()) {
            c.differentiateParameters(in, this::differentiateParameters);
        }
        Buffer wanted = in.gradient();
        if (wanted != null) {
            Matrix inGradient = matrix(wanted, width(in));
            multiply(AS_IS, weights(), AS_IS, gradient(), inGradient, width(in), in.samples(), width(out));
        }
    }

    private void differentiateParameters() {
        parameters.biasGradient(out);
        if (!parameters.trainsWeight()) {
            return;
        }
        Matrix weightGradient = new Matrix(parameters.weightGradient(), cudaDataType.CUDA_R_32F, width(in));
        multiply(AS_IS, values(in), TRANSPOSED, gradient(), weightGradient, width(in), width(out), in.samples());
    }

    private Matrix gradient() {
        return matrix(Objects.requireNonNull(out.gradient()), width(out));
    }

    private static int width(BatchTensor vectors) {
        return vectors.shape().elements();
    }

    private Matrix values(BatchTensor of) {
        return matrix(of.value(), width(of));
    }

    private Matrix weights() {
        return matrix(weight, width(in));
    }

    private Matrix matrix(Buffer values, int leading) {
        return new Matrix(values, c.numbers().blasType(), leading);
    }

    /// product (rows, columns) = a (rows, depth) b (depth, columns), in float32 sums.
    private void multiply(
            int formOfA, Matrix a, int formOfB, Matrix b, Matrix product, int rows, int columns, int depth) {
        CudaStatus.blas( // the method with the old name has no native implementation
                JCublas2.cublasGemmEx_new(
                        c.gpu().blas(),
                        formOfA,
                        formOfB,
                        rows,
                        columns,
                        depth,
                        ONE,
                        c.gpu().at(a.values()),
                        a.type(),
                        a.leading(),
                        c.gpu().at(b.values()),
                        b.type(),
                        b.leading(),
                        ZERO,
                        c.gpu().at(product.values()),
                        product.type(),
                        product.leading(),
                        cublasComputeType.CUBLAS_COMPUTE_32F,
                        cublasGemmAlgo.CUBLAS_GEMM_DEFAULT),
                "cublasGemmEx of layer %s, (%d, %d) times (%d, %d)".formatted(name, rows, depth, depth, columns));
    }

    private static Pointer scalar(float value) {
        return Pointer.to(ByteBuffer.allocateDirect(Float.BYTES)
                .order(ByteOrder.nativeOrder())
                .putFloat(0, value));
    }
}
