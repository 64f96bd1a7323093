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

/// Prefetches samples of a mapped file. Without it, the compute threads would wait for each random sample of a
/// file that does not fit into memory.
///
/// A daemon thread requests them, at most [#WINDOW_BYTES] or four batches ahead, whichever is larger. Training
/// never waits for this thread: samples that it has not reached are read on access.
public final class Readahead implements AutoCloseable {
    /// Large enough to keep a disk busy, small enough to stay in memory until used.
    private static final long WINDOW_BYTES = 64L << 20;

    private static final int WINDOW_BATCHES = 4;

    /// A file below half of the memory stays in the page cache after the first epoch.
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

    private static final long PAGE_BYTES = 4_096; // systems with larger pages refuse some requests, which is harmless

    private final MemorySegment memory;
    private final long sampleBytes;
    private final int window; // samples
    private final Consumer<MemorySegment> system; // requests the pages of a segment
    private @Nullable Thread thread; // from the first step on
    private int[] order = {}; // from the first step on
    private int next; // index in the order of the next request
    private int end; // index in the order after the last sample to request
    private boolean closed;

    /// Empty if all samples are in memory, or will stay there.
    ///
    /// @param batchSize samples of a step
    public static Optional<Readahead> of(Dataset dataset, int batchSize) {
        MemorySegment memory = dataset.train().samples().memory();
        return memory.isMapped() && !staysInMemory(memory)
                ? Optional.of(new Readahead(memory, dataset.sampleBytes(), batchSize, Readahead::ask))
                : Optional.empty();
    }

    /// Maps a file's pages into this process if they will stay in memory. Otherwise the first access to each page
    /// faults, which takes longer than assembling a small batch.
    static void mapPages(MemorySegment memory) {
        if (memory.isMapped() && staysInMemory(memory)) {
            advise(memory, POPULATE_READ);
        }
    }

    private static boolean staysInMemory(MemorySegment memory) {
        return memory.byteSize() <= machineBytes() / MEMORY_SHARE;
    }

    /// Memory of the machine, or of the container of this process.
    private static long machineBytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean machine
                ? machine.getTotalMemorySize()
                : Long.MAX_VALUE;
    }

    /// @param memory of a mapped file
    /// @param system requests a segment from the operating system
    Readahead(MemorySegment memory, long sampleBytes, int batchSize, Consumer<MemorySegment> system) {
        this.memory = memory;
        this.sampleBytes = sampleBytes;
        this.window =
                (int) Math.clamp(WINDOW_BYTES / sampleBytes, (long) WINDOW_BATCHES * batchSize, Integer.MAX_VALUE);
        this.system = system;
    }

    /// Sets the position of a training in its epoch; the samples after it are requested.
    ///
    /// @param epoch the order of its samples
    /// @param from index in the order of the next sample to use
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
        if (end - next >= window / 4 || end == epoch.length) { // a few times for each window, not for each batch
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

    /// Merges adjacent samples into one request.
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

    /// Stops requests. The thread ends by itself, and keeps the memory of its current request until then.
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
