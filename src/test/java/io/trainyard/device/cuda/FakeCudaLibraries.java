package io.trainyard.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Controls the fake CUDA libraries. `src/test/native/driver/failures.cpp` documents the functions.
public final class FakeCudaLibraries {
    /// The environment variable that seeds the order of unordered work.
    static final String SEED = "TRAINYARD_FAKE_SEED";

    private static final int MAX_PROBLEM_BYTES = 1000;
    private static final int MAX_TRAFFIC_BYTES = 1 << 20;

    private static final Path DRIVER = Path.of(System.getProperty("cuda.libraries", "target/fake-cuda"))
            .resolve("libcuda.so.1")
            .toAbsolutePath();

    private FakeCudaLibraries() {}

    /// False if the machine cannot build them, or the JVM has no path to them.
    public static boolean isBuilt() {
        return Files.exists(DRIVER) && System.getProperty("cuda.libraries") != null;
    }

    public static Path driver() {
        return DRIVER;
    }

    /// Makes the `nth` call of an exported function from now on, counted from 1, return `status`; with 0, every
    /// call. `kernel sgd` stands for a kernel's run. Errors that break the context are reported when the work
    /// runs.
    public static void fail(String function, int nth, int status) {
        try (Arena arena = Arena.ofConfined()) {
            Functions.FAIL.invokeExact(arena.allocateFrom(function), nth, status);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// Cancels pending failures of [#fail].
    public static void failNoMore(String function) {
        fail(function, 0, 0);
    }

    /// The number of calls of an exported function so far, or of runs of `kernel sgd`.
    public static long calls(String function) {
        return ask(Functions.CALLS, function);
    }

    /// The number of live objects of a kind: memory, pinned, context, stream, event, graph, executable, module,
    /// nvrtcProgram, cudnnHandle, cudnnDescriptor, cublasHandle.
    public static long alive(String kind) {
        return ask(Functions.ALIVE, kind);
    }

    /// The reason of the last failed call.
    public static String problem() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(MAX_PROBLEM_BYTES);
            Functions.PROBLEM.invokeExact(text, (long) MAX_PROBLEM_BYTES);
            return text.getString(0);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// A node of a graph that ran while `TRAINYARD_FAKE_COUNT` was 2.
    ///
    /// @param bytes the bytes that it read and wrote
    /// @param depth the length of the dependency chain up to this node
    public record Node(String name, long bytes, int depth) {
        static Node of(String line) {
            String[] words = line.split(" ");
            return new Node(words[0], Long.parseLong(words[1]), Integer.parseInt(words[2]));
        }
    }

    /// The nodes of the graph that was launched last, in the order in which they ran.
    public static List<Node> traffic() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(MAX_TRAFFIC_BYTES);
            Functions.TRAFFIC.invokeExact(text, (long) MAX_TRAFFIC_BYTES);
            return text.getString(0).lines().map(Node::of).toList();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// Simulates a new process: the devices are empty, and lost devices work again. Retained contexts still
    /// exist.
    static void relaunch() {
        relaunch(-1);
    }

    /// As [#relaunch], for one device only.
    static void relaunch(int device) {
        try {
            Functions.RELAUNCH.invokeExact(device);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// The value of [#SEED], or its default.
    static long seed() {
        try {
            return (long) Functions.SEED_NOW.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// Sets one of the libraries' environment variables in this process; empty for its default.
    public static void set(String variable, String value) {
        try (Arena arena = Arena.ofConfined()) {
            int status = (int) Functions.SET.invokeExact(arena.allocateFrom(variable), arena.allocateFrom(value), 1);
            if (status != 0) {
                throw new IllegalArgumentException(variable);
            }
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static long ask(MethodHandle function, String name) {
        try (Arena arena = Arena.ofConfined()) {
            return (long) function.invokeExact(arena.allocateFrom(name));
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// Initialised at the first use.
    private static final class Functions {
        private static final SymbolLookup LIBRARY = SymbolLookup.libraryLookup(DRIVER, Arena.global());

        static final MethodHandle FAIL = function(
                "trainyard_fake_fail",
                FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        static final MethodHandle CALLS =
                function("trainyard_fake_calls", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        static final MethodHandle ALIVE =
                function("trainyard_fake_alive", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        static final MethodHandle PROBLEM = function(
                "trainyard_fake_problem", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

        static final MethodHandle TRAFFIC = function(
                "trainyard_fake_traffic", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

        static final MethodHandle RELAUNCH =
                function("trainyard_fake_relaunch", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT));
        static final MethodHandle SEED_NOW =
                function("trainyard_fake_seed", FunctionDescriptor.of(ValueLayout.JAVA_LONG));

        static final MethodHandle SET = Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow("setenv"),
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));

        private static MethodHandle function(String name, FunctionDescriptor descriptor) {
            return Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(name), descriptor);
        }
    }
}
