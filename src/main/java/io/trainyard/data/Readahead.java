package io.trainyard.data;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Has the system read samples of a mapped file before they are needed. Samples that are drawn from all over a file
/// which
/// does not fit memory would else be waited for one by one, by the threads that compute.
///
/// A thread of its own asks for them, at most [#WINDOW_BYTES] ahead, or four batches where these are more. Nobody waits
/// for it: what it has not come to is read when it is needed.
public final class Readahead implements AutoCloseable {
    /// So much that a disk is kept busy, and so little that it stays in memory until it is needed.
    private static final long WINDOW_BYTES = 64L << 20;

    private static final int WINDOW_BATCHES = 4;

    /// The system keeps what was read, so that of a smaller part of memory all is there after the first epoch.
    private static final int MEMORY_SHARE = 2;

    private static final int WILL_NEED = 3; // MADV_WILLNEED, on Linux and macOS
    private static final int POPULATE_READ = 22; // MADV_POPULATE_READ, since Linux 5.14; others refuse it

    private static final Optional<MethodHandle> ADVISE = Linker.nativeLinker()
            .defaultLookup()
            .find("madvise")
            .map(address -> Linker.nativeLinker()
                    .downcallHandle(
                            address,
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_INT)));

    private static final long PAGE_BYTES = 4_096; // or a multiple: then the system refuses some, and nothing is lost

    private final MemorySegment memory;
    private final long sampleBytes;
    private final int window; // samples
    private final Consumer<MemorySegment> system;
    private @Nullable Thread thread; // from the first step on
    private int[] order = {};
    private int next; // in the order: to be asked for
    private int end; // in the order: behind what is to be asked for
    private boolean closed;

    /// Empty where all samples are in memory, or will stay there.
    ///
    /// @param batchSize samples of a step
    public static Optional<Readahead> of(Dataset dataset, int batchSize) {
        MemorySegment memory = dataset.train().samples().memory();
        return memory.isMapped() && !staysInMemory(memory)
                ? Optional.of(new Readahead(memory, dataset.sampleBytes(), batchSize, Readahead::ask))
                : Optional.empty();
    }

    /// Makes a mapped file's pages this process's own where they will stay in memory. Each would else be asked of the
    /// system when a step first comes to it, which takes longer than making a small batch.
    static void bring(MemorySegment memory) {
        if (memory.isMapped() && staysInMemory(memory)) {
            advise(memory, POPULATE_READ);
        }
    }

    private static boolean staysInMemory(MemorySegment memory) {
        return memory.byteSize() <= machineBytes() / MEMORY_SHARE;
    }

    /// Of the machine, or of the container that this process is in.
    private static long machineBytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean machine
                ? machine.getTotalMemorySize()
                : Long.MAX_VALUE;
    }

    /// @param memory of a mapped file
    /// @param system is asked for what lies in a part of it
    Readahead(MemorySegment memory, long sampleBytes, int batchSize, Consumer<MemorySegment> system) {
        this.memory = memory;
        this.sampleBytes = sampleBytes;
        this.window =
                (int) Math.clamp(WINDOW_BYTES / sampleBytes, (long) WINDOW_BATCHES * batchSize, Integer.MAX_VALUE);
        this.system = system;
    }

    /// Says where a training is in its epoch: what comes next is asked for.
    ///
    /// @param epoch the order of its samples
    /// @param from the first in it that is needed now
    public synchronized void reach(int[] epoch, int from) {
        if (thread == null) {
            thread = Thread.ofPlatform().name("readahead").daemon().start(this::run);
        }
        if (order != epoch) {
            order = epoch;
            next = from;
        }
        next = Math.max(next, from);
        end = (int) Math.min(epoch.length, (long) from + window);
        if (end - next >= window / 4 || end == epoch.length) { // a few times a window, not for each batch
            notifyAll();
        }
    }

    private void run() {
        while (true) {
            int[] of;
            int from;
            int to;
            synchronized (this) {
                while (next >= end && !closed) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
                if (closed) {
                    return;
                }
                of = order;
                from = next;
                to = end;
                next = end;
            }
            ask(of, from, to);
        }
    }

    /// Those that lie behind one another are asked for together.
    private void ask(int[] of, int from, int to) {
        for (int first = from; first < to; ) {
            int last = first;
            while (last + 1 < to && of[last + 1] == of[last] + 1) {
                last++;
            }
            system.accept(memory.asSlice(of[first] * sampleBytes, (last + 1 - first) * sampleBytes));
            first = last + 1;
        }
    }

    private static void ask(MemorySegment samples) {
        if (ADVISE.isEmpty()) {
            samples.load();
        } else {
            advise(samples, WILL_NEED);
        }
    }

    private static void advise(MemorySegment samples, int advice) {
        if (ADVISE.isEmpty()) {
            return;
        }
        long begin = samples.address() / PAGE_BYTES * PAGE_BYTES;
        try {
            int unused = (int) ADVISE.get().invokeExact(begin, samples.address() + samples.byteSize() - begin, advice);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("madvise threw", e);
        }
    }

    /// Nothing is asked for any more. The thread ends by itself, and until then keeps the memory that it asks for.
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
