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

/// What a test may ask of the double of NVIDIA's libraries, and have it do. Its functions are described in
/// `src/test/native/driver/failures.cpp`.
public final class NativeDouble {
    /// The environment variable for what decides in which order things run that a GPU may run in any.
    static final String SEED = "TRAINYARD_DOUBLE_SEED";

    private static final int MAX_PROBLEM_BYTES = 1000;
    private static final int MAX_TRAFFIC_BYTES = 1 << 20;

    private static final Path DRIVER = Path.of(System.getProperty("cuda.libraries", "target/native-double"))
            .resolve("libcuda.so.1")
            .toAbsolutePath();

    private NativeDouble() {}

    /// False on a machine that cannot build it, or in a JVM that is not told to find it.
    public static boolean isBuilt() {
        return Files.exists(DRIVER) && System.getProperty("cuda.libraries") != null;
    }

    public static Path driver() {
        return DRIVER;
    }

    /// Has the `nth` call of an exported function from now on, counted from 1, return `status`, and, with 0, every
    /// call. `kernel sgd` is a kernel's run. Statuses that a context does not survive come when the work runs.
    public static void fail(String function, int nth, int status) {
        try (Arena arena = Arena.ofConfined()) {
            Functions.FAIL.invokeExact(arena.allocateFrom(function), nth, status);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// Takes back what [#fail] planned and what has not come.
    public static void failNoMore(String function) {
        fail(function, 0, 0);
    }

    /// Calls of an exported function so far, or runs of `kernel sgd`.
    public static long calls(String function) {
        return ask(Functions.CALLS, function);
    }

    /// How many there are: memory, pinned, context, stream, event, graph, executable, module, nvrtcProgram,
    /// cudnnHandle, cudnnDescriptor, cublasHandle.
    public static long alive(String kind) {
        return ask(Functions.ALIVE, kind);
    }

    /// What the double had to object to in the last call that failed.
    public static String problem() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(MAX_PROBLEM_BYTES);
            Functions.PROBLEM.invokeExact(text, (long) MAX_PROBLEM_BYTES);
            return text.getString(0);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// A node of a graph that ran while `TRAINYARD_DOUBLE_COUNT` was 2.
    ///
    /// @param bytes that it moved
    /// @param depth how many nodes come one after the other up to this one
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

    /// As if this process had ended and another begun: nothing is left on the devices, and those that were lost work
    /// again. Contexts that were retained are there.
    static void relaunch() {
        relaunch(-1);
    }

    /// As [#relaunch], for one device alone.
    static void relaunch(int device) {
        try {
            Functions.RELAUNCH.invokeExact(device);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// [#SEED], or what it is where it is not set.
    static long seed() {
        try {
            return (long) Functions.SEED_NOW.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// Sets one of the double's environment variables for this process; empty for its default.
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

    /// Looked up at the first use.
    private static final class Functions {
        private static final SymbolLookup LIBRARY = SymbolLookup.libraryLookup(DRIVER, Arena.global());

        static final MethodHandle FAIL = function(
                "trainyard_double_fail",
                FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        static final MethodHandle CALLS =
                function("trainyard_double_calls", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        static final MethodHandle ALIVE =
                function("trainyard_double_alive", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        static final MethodHandle PROBLEM = function(
                "trainyard_double_problem", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

        static final MethodHandle TRAFFIC = function(
                "trainyard_double_traffic", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

        static final MethodHandle RELAUNCH =
                function("trainyard_double_relaunch", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT));
        static final MethodHandle SEED_NOW =
                function("trainyard_double_seed", FunctionDescriptor.of(ValueLayout.JAVA_LONG));

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
