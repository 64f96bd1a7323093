package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadaheadTest {
    private static final int SAMPLE = 1 << 20; // 64 of them fit into a window

    @TempDir
    Path folder;

    private MemorySegment memory;
    private final List<Integer> requested = Collections.synchronizedList(new ArrayList<>());
    private final Semaphore samples = new Semaphore(0);

    /// A sparse file, which takes no disk space.
    @BeforeEach
    void mapFile() throws IOException {
        memory = map(100 * SAMPLE);
    }

    private MemorySegment map(int bytes) throws IOException {
        Path file = folder.resolve("samples-" + bytes);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, 0, bytes, Arena.ofAuto());
        }
    }

    /// Records the requests to the system for each sample.
    private void record(MemorySegment part) {
        long first = (part.address() - memory.address()) / SAMPLE;
        int count = (int) (part.byteSize() / SAMPLE);
        IntStream.range(0, count).forEach(i -> requested.add((int) first + i));
        samples.release(count);
    }

    private void await(int count) throws InterruptedException {
        assertThat(samples.tryAcquire(count, Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                .as("asked for %s", requested)
                .isTrue();
    }

    private static List<Integer> of(int[] order, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> order[i]).toList();
    }

    @Test
    void requestsAWindowAheadAndEachSampleOnce() throws Exception {
        int[] order = TorchRandom.permutation(1, 100);
        try (Readahead ahead = new Readahead(memory, SAMPLE, 2, this::record)) {
            ahead.reach(order, 0);
            await(64);
            assertThat(requested).isEqualTo(of(order, 0, 64));
            ahead.reach(order, 36);
            await(36);
            assertThat(requested).isEqualTo(of(order, 0, 100));
            int[] next = TorchRandom.permutation(2, 100);
            ahead.reach(next, 0);
            await(64);
            assertThat(requested.subList(requested.size() - 64, requested.size()))
                    .isEqualTo(of(next, 0, 64));
        }
    }

    /// Samples that the training has passed are not read again.
    @Test
    void doesNotRequestEarlierSamples() throws Exception {
        int[] order = TorchRandom.permutation(1, 100);
        try (Readahead ahead = new Readahead(memory, SAMPLE, 2, this::record)) {
            ahead.reach(order, 10);
            await(64);
            assertThat(requested).isEqualTo(of(order, 10, 74));
            requested.clear();
            ahead.reach(order, 90);
            await(10);
            assertThat(requested).isEqualTo(of(order, 90, 100));
        }
    }

    @Test
    void theWindowHoldsAtLeastFourBatches() throws Exception {
        try (Readahead ahead = new Readahead(memory, SAMPLE, 20, this::record)) {
            ahead.reach(TorchRandom.identity(100), 0);
            await(80);
            assertThat(requested).hasSize(80);
        }
    }

    @Test
    void isAbsentForSamplesInMemory() throws Exception {
        Dataset.Split small = new Dataset.Split(new Samples.Pixels(map(12)), new Targets.ClassLabels(new int[12]));
        assertThat(Readahead.of(new Dataset("small", Shape.of(1), 1, small, small), 4))
                .isEmpty();
    }
}
