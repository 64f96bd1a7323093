package io.trainyard.device.cpu;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.OptionalLong;

/// Memory allocated by the C library in this process, by oneDNN, Java's arenas and the JVM; without the Java heap.
final class NativeHeap {
    private static final String FUNCTION = "mallinfo2"; // glibc 2.33 or newer

    /// malloc.h's struct mallinfo2: arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks,
    /// keepcost; all are size_t.
    private static final StructLayout INFO =
            MemoryLayout.structLayout(MemoryLayout.sequenceLayout(10, ValueLayout.JAVA_LONG));

    private static final int MAPPED_BYTES = 4; // hblkhd
    private static final int USED_BYTES = 7; // uordblks

    private static final Optional<MethodHandle> MALLINFO2 = Linker.nativeLinker()
            .defaultLookup()
            .find(FUNCTION)
            .map(address -> Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(INFO)));

    private NativeHeap() {}

    /// Empty if the C library is not glibc 2.33 or newer.
    static OptionalLong usedBytes() {
        if (MALLINFO2.isEmpty()) {
            return OptionalLong.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = (MemorySegment) MALLINFO2.get().invokeExact((SegmentAllocator) arena);
            return OptionalLong.of(info.getAtIndex(ValueLayout.JAVA_LONG, MAPPED_BYTES)
                    + info.getAtIndex(ValueLayout.JAVA_LONG, USED_BYTES));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(FUNCTION + " threw", e);
        }
    }
}
