package io.trainyard.device.cuda.library;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A shared library that stays loaded until the process exits, because NVIDIA's libraries have threads and
/// dependencies and do not support unloading. Loaded by `dlopen` itself, because the JDK hides the loader's error
/// message.
///
/// @param path of the loaded file
record NativeLibrary(MemorySegment handle, Path path) {
    /// `RTLD_LAZY`: symbols are resolved on first call, as JCuda's natives need it, and are local to the library.
    private static final int LAZY = 1;

    private static final int LINK_MAP = 2; // RTLD_DI_LINKMAP of dlfcn.h
    private static final int PATH_IN_LINK_MAP = 8; // of l_name, after l_addr, in link.h
    private static final long MAX_TEXT_BYTES = 1 << 16;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle OPEN =
            system("dlopen", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle ERROR = system("dlerror", FunctionDescriptor.of(ValueLayout.ADDRESS));
    private static final MethodHandle SYMBOL =
            system("dlsym", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    private static final MethodHandle INFO = system(
            "dlinfo",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

    /// @param file a path, or a name for the system's loader to search
    /// @throws UnsatisfiedLinkError with the loader's message, if it cannot be loaded
    static NativeLibrary open(String file) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = (MemorySegment) invoke(OPEN, arena.allocateFrom(file), LAZY);
            if (handle.address() == 0) {
                throw new UnsatisfiedLinkError(text((MemorySegment) invoke(ERROR)));
            }
            return new NativeLibrary(handle, pathOf(handle, file));
        }
    }

    boolean has(String function) {
        return symbol(function).address() != 0;
    }

    /// Calls `int function(...)` with 32-bit integers and addresses.
    ///
    /// @param arguments `Integer`s and `MemorySegment`s
    /// @throws CudaUnavailableException if the function does not exist
    int callInt(String function, Object... arguments) {
        FunctionDescriptor type = FunctionDescriptor.of(ValueLayout.JAVA_INT);
        for (Object argument : arguments) {
            type = type.appendArgumentLayouts(argument instanceof Integer ? ValueLayout.JAVA_INT : ValueLayout.ADDRESS);
        }
        return (int) call(function, type, arguments);
    }

    /// Calls `const char* function(int)`.
    String textOf(String function, int number) {
        MemorySegment text = (MemorySegment)
                call(function, FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT), number);
        return text.address() == 0 ? "status " + number : text(text);
    }

    /// Calls `size_t function()`.
    long callLong(String function) {
        return (long) call(function, FunctionDescriptor.of(ValueLayout.JAVA_LONG));
    }

    /// Calls `int function(const int*, int*)` with pointers to the given arguments, then to the answers.
    ///
    /// @return the answers
    /// @throws CudaUnavailableException if the call fails; the message has its status
    int[] ask(String function, int answers, Integer... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment all = arena.allocate(ValueLayout.JAVA_INT, answers);
            List<Object> passed = new ArrayList<>(List.of(arguments));
            for (int i = 0; i < answers; i++) {
                passed.add(all.asSlice(i * ValueLayout.JAVA_INT.byteSize()));
            }
            int status = callInt(function, passed.toArray());
            if (status != 0) {
                throw new CudaUnavailableException(
                        "%s of %s fails with status %d; replace the library".formatted(function, path, status));
            }
            return all.toArray(ValueLayout.JAVA_INT);
        }
    }

    /// Calls `int function(int, const char**)`.
    ///
    /// @return the text, or the number if there is no text
    String name(String function, int number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment text =
                    callInt(function, number, answer) == 0 ? answer.get(ValueLayout.ADDRESS, 0) : MemorySegment.NULL;
            return text.address() == 0 ? "an error without a name" : text(text);
        }
    }

    private Object call(String function, FunctionDescriptor type, Object... arguments) {
        MemorySegment address = symbol(function);
        if (address.address() == 0) {
            throw new CudaUnavailableException(
                    "%s has no function %s, so it is not what its name says; replace it".formatted(path, function));
        }
        return invoke(LINKER.downcallHandle(address, type), arguments);
    }

    private MemorySegment symbol(String function) {
        try (Arena arena = Arena.ofConfined()) {
            return (MemorySegment) invoke(SYMBOL, handle, arena.allocateFrom(function));
        }
    }

    private static Path pathOf(MemorySegment handle, String file) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment map = arena.allocate(ValueLayout.ADDRESS);
            if ((int) invoke(INFO, handle, LINK_MAP, map) != 0) {
                return Path.of(file);
            }
            MemorySegment name = map.get(ValueLayout.ADDRESS, 0)
                    .reinterpret(PATH_IN_LINK_MAP + ValueLayout.ADDRESS.byteSize())
                    .get(ValueLayout.ADDRESS, PATH_IN_LINK_MAP);
            return Path.of(text(name));
        }
    }

    private static String text(MemorySegment address) {
        return address.reinterpret(MAX_TEXT_BYTES).getString(0);
    }

    private static MethodHandle system(String function, FunctionDescriptor type) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(function), type);
    }

    private static Object invoke(MethodHandle function, Object... arguments) {
        try {
            return function.invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw", e);
        }
    }
}
