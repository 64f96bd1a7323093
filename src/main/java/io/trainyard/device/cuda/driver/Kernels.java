package io.trainyard.device.cuda.driver;

import io.trainyard.device.DeviceException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;
import jcuda.nvrtc.JNvrtc;
import jcuda.nvrtc.nvrtcProgram;
import org.jspecify.annotations.Nullable;

/// Kernels compiled for one GPU from CUDA C++. Their machine code is kept in the process and in a [KernelCache],
/// because compiling takes seconds.
public final class Kernels {
    private static final int BLOCK = 256;

    /// More blocks would only wait: each has 256 threads, and a multiprocessor runs 2048.
    private static final int BLOCKS_PER_MULTIPROCESSOR = 32;

    private static final String MACHINE_CODE = "sm_";
    private static final String ARCHITECTURE = "--gpu-architecture=";

    private static final Map<Source, byte[]> COMPILED = new ConcurrentHashMap<>();

    private static final KernelCache CACHE = KernelCache.of(System.getenv(), System.getProperty("user.home", "."));

    private final Gpu gpu;
    private final CUmodule module = new CUmodule();
    private final Map<String, CUfunction> functions = new HashMap<>();
    private final int maxBlocks;

    private record Source(String text, List<String> options) {
        byte[] compiled() {
            List<String> key = new ArrayList<>(options);
            key.add(compilerVersion());
            key.add(text);
            return CACHE.get(key, () -> compile(this));
        }
    }

    /// @param source of all kernels together
    /// @param options for NVRTC, in addition to the GPU's architecture
    /// @throws DeviceException if it does not compile; with the compiler's message
    public Kernels(Gpu gpu, String source, List<String> options) {
        this.gpu = gpu;
        List<String> all = new ArrayList<>(options);
        all.addFirst(ARCHITECTURE + target(gpu.architecture()));
        byte[] code = COMPILED.computeIfAbsent(new Source(source, List.copyOf(all)), Source::compiled);
        CudaStatus.driver(JCudaDriver.cuModuleLoadData(module, code), "cuModuleLoadData on " + gpu);
        gpu.onClose(() -> JCudaDriver.cuModuleUnload(module));
        maxBlocks = gpu.multiprocessors() * BLOCKS_PER_MULTIPROCESSOR;
    }

    /// Machine code, because a driver older than NVRTC cannot read its PTX. For a GPU newer than NVRTC, PTX of
    /// NVRTC's newest architecture: then the driver is newer as well and compiles it.
    private static String target(int architecture) {
        int[] count = new int[1];
        CudaStatus.nvrtc(JNvrtc.nvrtcGetNumSupportedArchs(count), "nvrtcGetNumSupportedArchs");
        int[] known = new int[count[0]];
        CudaStatus.nvrtc(JNvrtc.nvrtcGetSupportedArchs(known), "nvrtcGetSupportedArchs");
        int newest =
                IntStream.of(known).filter(each -> each <= architecture).max().orElse(architecture);
        return (newest == architecture ? MACHINE_CODE : "compute_") + newest;
    }

    private static String compilerVersion() {
        int[] major = new int[1];
        int[] minor = new int[1];
        CudaStatus.nvrtc(JNvrtc.nvrtcVersion(major, minor), "nvrtcVersion");
        return "NVRTC %d.%d".formatted(major[0], minor[0]);
    }

    private static byte[] compile(Source source) {
        nvrtcProgram program = new nvrtcProgram();
        CudaStatus.nvrtc(
                JNvrtc.nvrtcCreateProgram(program, source.text(), "trainyard.cu", 0, null, null), "nvrtcCreateProgram");
        try {
            int status = JNvrtc.nvrtcCompileProgram(
                    program, source.options().size(), source.options().toArray(String[]::new));
            if (status != 0) {
                String[] log = new String[1];
                JNvrtc.nvrtcGetProgramLog(program, log);
                throw new DeviceException("NVRTC cannot compile the kernels with %s: %s%n%s"
                        .formatted(String.join(" ", source.options()), JNvrtc.nvrtcGetErrorString(status), log[0]));
            }
            if (!source.options().getFirst().startsWith(ARCHITECTURE + MACHINE_CODE)) {
                String[] ptx = new String[1];
                CudaStatus.nvrtc(JNvrtc.nvrtcGetPTX(program, ptx), "nvrtcGetPTX");
                byte[] text = ptx[0].getBytes(StandardCharsets.UTF_8);
                return Arrays.copyOf(text, text.length + 1); // zero-terminated
            }
            long[] size = new long[1];
            CudaStatus.nvrtc(JNvrtc.nvrtcGetCUBINSize(program, size), "nvrtcGetCUBINSize");
            byte[] code = new byte[Math.toIntExact(size[0])];
            CudaStatus.nvrtc(JNvrtc.nvrtcGetCUBIN(program, code), "nvrtcGetCUBIN");
            return code;
        } finally {
            JNvrtc.nvrtcDestroyProgram(program);
        }
    }

    /// Enqueues a kernel over `elements` items, with as many threads as useful.
    ///
    /// @param arguments of the kernel, in order and exactly typed: Integer for int, Long for long long, Float for
    ///     float, [Buffer] or null for pointers
    public void launch(String kernel, long elements, @Nullable Object... arguments) {
        launchBlocks(kernel, Math.clamp(Math.ceilDiv(elements, BLOCK), 1, maxBlocks), arguments);
    }

    /// Enqueues a kernel with `blocks` blocks of 256 threads.
    public void launchBlocks(String kernel, int blocks, @Nullable Object... arguments) {
        NativePointerObject[] pointers = new NativePointerObject[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            pointers[i] = argument(kernel, arguments[i]);
        }
        CudaStatus.driver(
                JCudaDriver.cuLaunchKernel(
                        function(kernel),
                        blocks,
                        1,
                        1,
                        BLOCK,
                        1,
                        1,
                        0,
                        gpu.compute().handle(),
                        Pointer.to(pointers),
                        null),
                "the launch of kernel " + kernel);
    }

    private Pointer argument(String kernel, @Nullable Object argument) {
        return switch (argument) {
            case null -> Pointer.to(new Pointer());
            case Buffer buffer -> Pointer.to(gpu.at(buffer));
            case Integer value -> Pointer.to(new int[] {value});
            case Long value -> Pointer.to(new long[] {value});
            case Float value -> Pointer.to(new float[] {value});
            default ->
                throw new IllegalArgumentException(
                        "kernel %s is given a %s; a kernel takes buffers, int, long and float"
                                .formatted(kernel, argument.getClass().getSimpleName()));
        };
    }

    private CUfunction function(String kernel) {
        return functions.computeIfAbsent(kernel, name -> {
            CUfunction function = new CUfunction();
            CudaStatus.driver(
                    JCudaDriver.cuModuleGetFunction(function, module, name), "cuModuleGetFunction of " + name);
            return function;
        });
    }
}
