package io.trainyard.device.cuda;

import static io.trainyard.device.cuda.RawGpu.ok;
import static io.trainyard.device.cuda.RawGpu.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import jcuda.cudaDataType;
import jcuda.driver.CUdeviceptr;
import jcuda.jcublas.JCublas2;
import jcuda.jcublas.cublasComputeType;
import jcuda.jcublas.cublasGemmAlgo;
import jcuda.jcublas.cublasHandle;
import jcuda.jcublas.cublasMath;
import jcuda.jcublas.cublasStatus;
import jcuda.runtime.cudaStream_t;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What the double's products of matrices round and refuse. That they are right the device's own tests show.
@OnDouble
final class ProductOfDoubleTest {
    private static final int ROWS = 23;
    private static final int COLUMNS = 37;
    private static final int DEPTH = 530;

    private RawGpu gpu;
    private final cublasHandle blas = new cublasHandle();

    @BeforeEach
    void open() {
        gpu = new RawGpu(0);
        ok(JCublas2.cublasCreate(blas));
        ok(JCublas2.cublasSetStream(blas, new cudaStream_t(gpu.stream)));
    }

    @AfterEach
    void close() {
        ok(JCublas2.cublasDestroy(blas));
        gpu.close();
    }

    /// Column-major, (ROWS, DEPTH) times (DEPTH, COLUMNS).
    private int multiply(CUdeviceptr aAt, CUdeviceptr bAt, CUdeviceptr cAt, int type, int gapOfC) {
        return JCublas2.cublasGemmEx_new(
                blas,
                0,
                0,
                ROWS,
                COLUMNS,
                DEPTH,
                scalar(2),
                aAt,
                type,
                ROWS,
                bAt,
                type,
                DEPTH,
                scalar(-1),
                cAt,
                cudaDataType.CUDA_R_32F,
                ROWS + gapOfC,
                cublasComputeType.CUBLAS_COMPUTE_32F,
                cublasGemmAlgo.CUBLAS_GEMM_DEFAULT);
    }

    @Test
    void tf32IsUsedOnlyWhereItIsAllowed() {
        CUdeviceptr a = gpu.upload(1 + 1 / 4096f); // more digits than TF32 has
        CUdeviceptr one = gpu.upload(1);
        for (int mode : new int[] {cublasMath.CUBLAS_DEFAULT_MATH, cublasMath.CUBLAS_TF32_TENSOR_OP_MATH}) {
            ok(JCublas2.cublasSetMathMode(blas, mode));
            CUdeviceptr c = gpu.allocate(4);
            int f32 = cudaDataType.CUDA_R_32F;
            ok(JCublas2.cublasGemmEx_new(
                    blas,
                    0,
                    0,
                    1,
                    1,
                    1,
                    scalar(1),
                    a,
                    f32,
                    1,
                    one,
                    f32,
                    1,
                    scalar(0),
                    c,
                    f32,
                    1,
                    cublasComputeType.CUBLAS_COMPUTE_32F,
                    cublasGemmAlgo.CUBLAS_GEMM_DEFAULT));
            assertThat(gpu.download(c, 1)).containsExactly(mode == 0 ? 1 + 1 / 4096f : 1);
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        CUdeviceptr a = gpu.allocate(4L * ROWS * DEPTH);
        CUdeviceptr b = gpu.allocate(4L * DEPTH * COLUMNS);
        CUdeviceptr c = gpu.allocate(4L * ROWS * COLUMNS);
        assertThat(multiply(a, b, c, cudaDataType.CUDA_R_32F, -1))
                .as("a leading dimension below the rows")
                .isEqualTo(cublasStatus.CUBLAS_STATUS_INVALID_VALUE);
        assertThat(multiply(a, b, c, cudaDataType.CUDA_R_32F, 1))
                .as("c is longer than its memory")
                .isEqualTo(cublasStatus.CUBLAS_STATUS_INVALID_VALUE);
        assertThat(multiply(a, b, c, cudaDataType.CUDA_R_64F, 0)).isEqualTo(cublasStatus.CUBLAS_STATUS_NOT_SUPPORTED);
        assertThat(JCublas2.cublasGetStatusString(cublasStatus.CUBLAS_STATUS_NOT_SUPPORTED))
                .isEqualTo("the functionality is not supported");
    }
}
