package io.trainyard.device.cuda;

import static io.trainyard.device.cuda.RawGpu.ok;
import static io.trainyard.device.cuda.RawGpu.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The double's products of matrices against plain loops, and what it refuses.
@OnDouble
final class ProductOfDoubleTest {
    private static final int ROWS = 23;
    private static final int COLUMNS = 37;
    private static final int DEPTH = 530; // more than is packed at once
    private static final int GAP = 3; // between two columns

    private RawGpu gpu;
    private final cublasHandle blas = new cublasHandle();
    private final Random random = new Random(3);

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

    /// Eighths: every kind of number has them.
    private float[] eighths(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (random.nextInt(17) - 8) / 8f;
        }
        return values;
    }

    /// Column-major, op(a) (ROWS, DEPTH) times op(b) (DEPTH, COLUMNS).
    private int multiply(int a, int b, CUdeviceptr aAt, CUdeviceptr bAt, CUdeviceptr cAt, int type, int gapOfC) {
        return JCublas2.cublasGemmEx_new(
                blas,
                a,
                b,
                ROWS,
                COLUMNS,
                DEPTH,
                scalar(2),
                aAt,
                type,
                (a == 0 ? ROWS : DEPTH) + GAP,
                bAt,
                type,
                (b == 0 ? DEPTH : COLUMNS) + GAP,
                scalar(-1),
                cAt,
                cudaDataType.CUDA_R_32F,
                ROWS + gapOfC,
                cublasComputeType.CUBLAS_COMPUTE_32F,
                cublasGemmAlgo.CUBLAS_GEMM_DEFAULT);
    }

    @ParameterizedTest
    @CsvSource({"0,0,false", "0,1,false", "1,0,false", "1,1,false", "0,0,true", "1,1,true"})
    void aProductEqualsPlainLoops(int a, int b, boolean bfloat16) {
        int leadingOfA = (a == 0 ? ROWS : DEPTH) + GAP;
        int leadingOfB = (b == 0 ? DEPTH : COLUMNS) + GAP;
        int leading = ROWS + GAP;
        float[] left = eighths(leadingOfA * (a == 0 ? DEPTH : ROWS));
        float[] right = eighths(leadingOfB * (b == 0 ? COLUMNS : DEPTH));
        float[] old = eighths(leading * COLUMNS);
        float[] expected = old.clone();
        for (int j = 0; j < COLUMNS; j++) {
            for (int i = 0; i < ROWS; i++) {
                double sum = 0; // exact: eighths
                for (int k = 0; k < DEPTH; k++) {
                    sum += (double) left[a == 0 ? k * leadingOfA + i : i * leadingOfA + k]
                            * right[b == 0 ? j * leadingOfB + k : k * leadingOfB + j];
                }
                expected[j * leading + i] = (float) (2 * sum - old[j * leading + i]);
            }
        }
        CUdeviceptr c = gpu.upload(old);
        ok(multiply(
                a,
                b,
                bfloat16 ? gpu.uploadAsBfloat16(left) : gpu.upload(left),
                bfloat16 ? gpu.uploadAsBfloat16(right) : gpu.upload(right),
                c,
                bfloat16 ? cudaDataType.CUDA_R_16BF : cudaDataType.CUDA_R_32F,
                GAP));
        assertThat(gpu.download(c, old.length)).isEqualTo(expected);
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
        CUdeviceptr a = gpu.allocate(4L * (ROWS + GAP) * DEPTH);
        CUdeviceptr b = gpu.allocate(4L * (DEPTH + GAP) * COLUMNS);
        CUdeviceptr c = gpu.allocate(4L * ROWS * COLUMNS);
        assertThat(multiply(0, 0, a, b, c, cudaDataType.CUDA_R_32F, -1))
                .as("a leading dimension below the rows")
                .isEqualTo(cublasStatus.CUBLAS_STATUS_INVALID_VALUE);
        assertThat(multiply(0, 0, a, b, c, cudaDataType.CUDA_R_32F, 1))
                .as("c is longer than its memory")
                .isEqualTo(cublasStatus.CUBLAS_STATUS_INVALID_VALUE);
        assertThat(multiply(0, 0, a, b, c, cudaDataType.CUDA_R_64F, 0))
                .isEqualTo(cublasStatus.CUBLAS_STATUS_NOT_SUPPORTED);
        assertThat(JCublas2.cublasGetStatusString(cublasStatus.CUBLAS_STATUS_NOT_SUPPORTED))
                .isEqualTo("the functionality is not supported");
    }
}
