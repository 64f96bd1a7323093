package io.trainyard.device.cuda;

import static io.trainyard.device.cuda.RawGpu.ok;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import jcuda.nvrtc.JNvrtc;
import jcuda.nvrtc.nvrtcProgram;
import jcuda.nvrtc.nvrtcResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The product's kernels on the double: compiled by its NVRTC, loaded, launched.
@OnDouble
final class KernelDoubleTest {
    private static final Path KERNELS = Path.of("src/main/resources/io/trainyard/device/cuda");
    private static final int BLOCK = 256;
    private static final int SAMPLES = 1000;

    private RawGpu gpu;

    @BeforeEach
    void open() {
        gpu = new RawGpu(0);
    }

    @AfterEach
    void close() {
        gpu.close();
        assertThat(NativeDouble.alive("module")).isZero();
        assertThat(NativeDouble.alive("nvrtcProgram")).isZero();
    }

    private static String source() throws IOException {
        try (Stream<Path> files = Files.list(KERNELS)) {
            return files.sorted()
                    .sorted((a, b) -> Boolean.compare(
                            b.toString().endsWith(".cuh"), a.toString().endsWith(".cuh")))
                    .map(KernelDoubleTest::read)
                    .collect(Collectors.joining("\n"));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Compiled(int status, byte[] code, String log) {}

    private static Compiled compile(String source, String... options) {
        nvrtcProgram program = new nvrtcProgram();
        ok(JNvrtc.nvrtcCreateProgram(program, source, "kernels.cu", 0, null, null));
        int status = JNvrtc.nvrtcCompileProgram(program, options.length, options);
        String[] log = new String[1];
        ok(JNvrtc.nvrtcGetProgramLog(program, log));
        byte[] code = {};
        if (status == 0) {
            long[] size = new long[1];
            ok(JNvrtc.nvrtcGetCUBINSize(program, size));
            code = new byte[(int) size[0]];
            ok(JNvrtc.nvrtcGetCUBIN(program, code));
        }
        ok(JNvrtc.nvrtcDestroyProgram(program));
        return new Compiled(status, code, log[0]);
    }

    private static CUmodule load(String source, String... options) {
        Compiled compiled = compile(source, options);
        assertThat(compiled.status()).as(compiled.log()).isZero();
        CUmodule module = new CUmodule();
        ok(JCudaDriver.cuModuleLoadData(module, compiled.code()));
        return module;
    }

    private static CUfunction kernel(CUmodule module, String name) {
        CUfunction function = new CUfunction();
        ok(JCudaDriver.cuModuleGetFunction(function, module, name));
        return function;
    }

    private int launch(CUfunction kernel, int blocks, NativePointerObject... parameters) {
        return launch(gpu, kernel, blocks, parameters);
    }

    private static int launch(RawGpu gpu, CUfunction kernel, int blocks, NativePointerObject... parameters) {
        return JCudaDriver.cuLaunchKernel(
                kernel, blocks, 1, 1, BLOCK, 1, 1, 0, gpu.stream, Pointer.to(parameters), null);
    }

    private static Pointer of(int value) {
        return Pointer.to(new int[] {value});
    }

    @Test
    void aBlockMeetsAtItsBarriers() throws IOException {
        CUfunction endStep = kernel(load(source(), "--gpu-architecture=sm_90", "--fmad=false"), "end_step");
        float[] losses = new float[SAMPLES];
        double sum = 0;
        for (int i = 0; i < SAMPLES; i++) {
            losses[i] = i / 8f;
            sum += losses[i];
        }
        CUdeviceptr means = gpu.upload(0, 0, 0, 0);
        CUdeviceptr step = gpu.upload(Float.intBitsToFloat(2));
        CUdeviceptr weights = gpu.upload(0, 0, SAMPLES, SAMPLES);
        for (int run = 0; run < 2; run++) {
            ok(launch(
                    endStep,
                    1,
                    Pointer.to(means),
                    Pointer.to(step),
                    Pointer.to(gpu.upload(losses)),
                    Pointer.to(weights),
                    of(SAMPLES)));
        }
        float mean = (float) (sum / SAMPLES);
        assertThat(gpu.download(means, 4)).containsExactly(0, 0, mean, mean);
        assertThat(Float.floatToRawIntBits(gpu.download(step, 1)[0])).isEqualTo(4);
    }

    /// Each thread of the host has its own shared memory and its own threads of a block.
    @Test
    void twoDevicesRunAtOnce() throws Exception {
        String source = source();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<float[]>> means = new ArrayList<>();
            for (int device = 0; device < 2; device++) {
                int number = device;
                means.add(threads.submit(() -> meanOfSteps(source, number)));
            }
            assertThat(Patience.get(means.get(0))).containsOnly(1);
            assertThat(Patience.get(means.get(1))).containsOnly(2);
        }
    }

    private static float[] meanOfSteps(String source, int device) {
        int steps = 50;
        float[] losses = new float[SAMPLES];
        Arrays.fill(losses, device + 1);
        try (RawGpu own = new RawGpu(device)) {
            CUfunction endStep = kernel(load(source, "-arch=sm_90"), "end_step");
            CUdeviceptr means = own.upload(new float[steps]);
            CUdeviceptr step = own.upload(0);
            CUdeviceptr of = own.upload(losses);
            float[] samples = new float[steps];
            Arrays.fill(samples, SAMPLES);
            CUdeviceptr weights = own.upload(samples);
            for (int i = 0; i < steps; i++) {
                ok(launch(
                        own,
                        endStep,
                        1,
                        Pointer.to(means),
                        Pointer.to(step),
                        Pointer.to(of),
                        Pointer.to(weights),
                        of(SAMPLES)));
            }
            return own.download(means, steps);
        }
    }

    @Test
    void aProgramHasFloatsOrBfloat16() throws IOException {
        float[] x = {-2, 0, 1.5f, Float.NaN, 3};
        Pointer unread = Pointer.to(new float[] {0});
        Pointer count = Pointer.to(new long[] {x.length});
        CUdeviceptr floats = gpu.upload(x);
        ok(launch(
                kernel(load(source(), "-arch=sm_90"), "relu_forward"),
                3,
                Pointer.to(floats),
                Pointer.to(floats),
                count,
                unread,
                unread));
        assertThat(gpu.download(floats, x.length)).containsExactly(0, 0, 1.5f, Float.NaN, 3);
        CUdeviceptr halves = gpu.uploadAsBfloat16(x);
        ok(launch(
                kernel(load(source(), "-arch=sm_90", "-DTRAINYARD_BF16"), "relu_forward"),
                3,
                Pointer.to(halves),
                Pointer.to(halves),
                count,
                unread,
                unread));
        assertThat(gpu.downloadBfloat16(halves, x.length)).containsExactly(0, 0, 1.5f, Float.NaN, 3);
    }

    /// Around the middle of two neighbours, at the largest values, and of NaN whose bits would get lost.
    @Test
    void valuesAreRoundedToTheNearestBfloat16() throws IOException {
        int[] bits = {
            0x3f807fff, 0x3f808000, 0x3f808001, 0x3f817fff, 0x3f818000, 0x3f818001, 0x7f7fffff, 0xff7f8000, 0x7f7f7fff,
            0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffffffff, 0x00000001, 0x00008001, 0x80008000, 0x80000000
        };
        float[] x = new float[bits.length];
        float[] expected = new float[bits.length];
        for (int i = 0; i < bits.length; i++) {
            x[i] = Float.intBitsToFloat(bits[i]);
            int even = bits[i] + 0x7fff + (bits[i] >> 16 & 1);
            expected[i] = Float.isNaN(x[i]) ? Float.NaN : Float.intBitsToFloat(even & 0xffff0000);
        }
        CUdeviceptr packed = gpu.allocate(2L * x.length);
        ok(launch(
                kernel(load(source(), "-arch=sm_90", "-DTRAINYARD_BF16"), "pack_values"),
                1,
                Pointer.to(packed),
                Pointer.to(gpu.upload(x)),
                Pointer.to(new long[] {x.length})));
        assertThat(gpu.downloadBfloat16(packed, x.length)).containsExactly(expected);
    }

    @Test
    void whatIsNotThereIsNotFound() throws IOException {
        CUmodule module = load(source(), "-arch=sm_90");
        assertThat(JCudaDriver.cuModuleGetFunction(new CUfunction(), module, "relu_sideways"))
                .isEqualTo(CUresult.CUDA_ERROR_NOT_FOUND);
        assertThat(JCudaDriver.cuModuleGetFunction(new CUfunction(), module, "pack_values"))
                .as("of bfloat16 only")
                .isEqualTo(CUresult.CUDA_ERROR_NOT_FOUND);
        CUmodule other = load("extern \"C\" __global__ void other() {}", "-arch=sm_90");
        assertThat(JCudaDriver.cuModuleGetFunction(new CUfunction(), other, "relu_forward"))
                .as("its source is another")
                .isEqualTo(CUresult.CUDA_ERROR_NOT_FOUND);
    }

    @Test
    void aProgramForAnotherDeviceIsRefused() throws IOException {
        Compiled compiled = compile(source(), "-arch=sm_120");
        assertThat(JCudaDriver.cuModuleLoadData(new CUmodule(), compiled.code()))
                .isEqualTo(CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU);
        assertThat(compile(source(), "-arch=sm_70").status())
                .as("CUDA 13 has it no more")
                .isEqualTo(nvrtcResult.NVRTC_ERROR_INVALID_OPTION);
        assertThat(compile(source(), "--fastest").log()).contains("--fastest");
    }

    @Test
    void anAddressOfAnotherDeviceIsIllegal() throws IOException {
        CUfunction next = kernel(load(source(), "-arch=sm_90"), "next_step");
        try (RawGpu other = new RawGpu(1)) {
            CUdeviceptr elsewhere = other.upload(0);
            ok(JCudaDriver.cuCtxSetCurrent(gpu.context));
            ok(launch(next, 1, Pointer.to(elsewhere)));
            assertThat(JCudaDriver.cuStreamSynchronize(gpu.stream)).isEqualTo(CUresult.CUDA_ERROR_ILLEGAL_ADDRESS);
        }
    }

    @Test
    void aKernelFailsAtItsRunAndSpoilsItsContext() throws IOException {
        CUfunction next = kernel(load(source(), "-arch=sm_90"), "next_step");
        CUdeviceptr step = gpu.upload(0);
        NativeDouble.fail("kernel next_step", 2, CUresult.CUDA_ERROR_LAUNCH_FAILED);
        ok(launch(next, 1, Pointer.to(step)));
        gpu.synchronize();
        ok(launch(next, 1, Pointer.to(step)));
        assertThat(JCudaDriver.cuStreamSynchronize(gpu.stream)).isEqualTo(CUresult.CUDA_ERROR_LAUNCH_FAILED);
        assertThat(launch(next, 1, Pointer.to(step))).isEqualTo(CUresult.CUDA_ERROR_LAUNCH_FAILED);
    }

    @Test
    void whatIsPlannedDoesNotCompile() throws IOException {
        NativeDouble.fail("nvrtcCompileProgram", 1, nvrtcResult.NVRTC_ERROR_COMPILATION);
        Compiled compiled = compile(source(), "-arch=sm_90");
        assertThat(compiled.status()).isEqualTo(nvrtcResult.NVRTC_ERROR_COMPILATION);
        assertThat(compiled.log()).contains("error");
    }
}
