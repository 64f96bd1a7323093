package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.DeviceException;
import io.trainyard.spec.Precision;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.bytedeco.dnnl.dnnl_version_t;
import org.bytedeco.dnnl.global.dnnl;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.jspecify.annotations.Nullable;

/// oneDNN's native library and its OpenMP runtime, loaded once for this process.
///
/// By default, idle OpenMP threads spin, which makes a step many times slower if other processes use the CPUs. Set
/// the environment variable `OMP_WAIT_POLICY=PASSIVE` before Java starts; the runtime reads it when it is loaded.
public final class OneDnnLibrary {
    private static final Map<Integer, String> INSTRUCTION_SETS = new TreeMap<>(Map.of(
            dnnl_cpu_isa_sse41, "SSE4.1",
            dnnl_cpu_isa_avx, "AVX",
            dnnl_cpu_isa_avx2, "AVX2",
            dnnl_cpu_isa_avx2_vnni, "AVX2 VNNI",
            dnnl_cpu_isa_avx512_core, "AVX-512",
            dnnl_cpu_isa_avx512_core_vnni, "AVX-512 VNNI",
            dnnl_cpu_isa_avx512_core_bf16, "AVX-512 BF16",
            dnnl_cpu_isa_avx512_core_fp16, "AVX-512 FP16",
            dnnl_cpu_isa_avx512_core_amx, "AMX"));

    private final MethodHandle setThreads;

    private OneDnnLibrary(MethodHandle setThreads) {
        this.setThreads = setThreads;
    }

    private record Loaded(@Nullable OneDnnLibrary library, String reasonIfMissing) {}

    /// Initialized on first use. The outcome is stored, because a class whose initializer failed does not report
    /// the cause a second time.
    private static final class Holder {
        static final Loaded LOADED = load();
    }

    private static Loaded load() {
        try {
            Loader.load(dnnl.class);
            Pointer setThreads = Loader.addressof("omp_set_num_threads");
            if (setThreads == null) {
                return new Loaded(
                        null,
                        "oneDNN was loaded without OpenMP, so its threads cannot be counted;"
                                + " use the oneDNN build that this project names");
            }
            return new Loaded(
                    new OneDnnLibrary(Linker.nativeLinker()
                            .downcallHandle(
                                    MemorySegment.ofAddress(setThreads.address()),
                                    FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT))),
                    "");
        } catch (LinkageError | RuntimeException e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            return new Loaded(
                    null,
                    "oneDNN's native library for %s cannot be loaded (%s); put the org.bytedeco dnnl, javacpp and opencl jars of this platform on the class path, and let JavaCPP unpack them into a writable folder (-Dorg.bytedeco.javacpp.cachedir=DIR)"
                            .formatted(Loader.getPlatform(), cause));
        }
    }

    public static Optional<String> whyUnavailable() {
        return Holder.LOADED.library() == null ? Optional.of(Holder.LOADED.reasonIfMissing()) : Optional.empty();
    }

    /// @throws DeviceException if it cannot be loaded; the message has the reason
    public static OneDnnLibrary loaded() {
        OneDnnLibrary library = Holder.LOADED.library();
        if (library == null) {
            throw new DeviceException("no device \"cpu\" here: " + Holder.LOADED.reasonIfMissing());
        }
        return library;
    }

    /// For display: the version and the instruction set in use.
    public String description() {
        dnnl_version_t version = dnnl_version();
        int isa = dnnl_get_effective_cpu_isa();
        String instructions = INSTRUCTION_SETS.getOrDefault(isa, "instruction set " + isa);
        return "oneDNN %d.%d.%d with %s".formatted(version.major(), version.minor(), version.patch(), instructions);
    }

    /// The precisions supported on this CPU. Without bfloat16 instructions, oneDNN would emulate them more slowly
    /// than float32, so bfloat16 is not offered.
    public Set<Precision> precisions() {
        boolean bfloat16 =
                (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_bf16) == dnnl_cpu_isa_avx512_core_bf16;
        return bfloat16 ? EnumSet.of(Precision.FP32, Precision.BF16) : EnumSet.of(Precision.FP32);
    }

    /// Sets the number of oneDNN threads for calls from the calling thread. Primitives are created for the number
    /// set at that time.
    void setThreads(int threads) {
        try {
            setThreads.invokeExact(threads);
        } catch (Throwable e) {
            throw new DeviceException("OpenMP's thread count could not be set to " + threads, e);
        }
    }
}
