package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.DeviceLostException;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Kernels;
import io.trainyard.device.cuda.library.CudaLibraries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import jcuda.Pointer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The fake CUDA libraries run kernels in the least convenient order that a GPU may choose.
@OnFakeCuda
final class KernelsFakeCudaTest {
    private static final int BLOCK = 256;
    private static final int BLOCKS = 6;
    private static final String CAPABILITY = "TRAINYARD_FAKE_CAPABILITY";

    private Gpu gpu;
    private Kernels probes;

    @BeforeEach
    void open() throws IOException {
        var _ = CudaLibraries.loaded();
        gpu = new Gpu(0);
        probes = probes();
    }

    private Kernels probes() throws IOException {
        return new Kernels(gpu, Files.readString(Path.of("src/test/native/kernels/probes.cu")), List.of());
    }

    /// The fake NVRTC supports compute capability 12.1 at most.
    @Test
    void aGpuNewerThanTheCompilerReceivesPtx() throws IOException {
        FakeCudaLibraries.set(CAPABILITY, "130");
        long texts = FakeCudaLibraries.calls("nvrtcGetPTX");
        probes = probes();
        assertThat(FakeCudaLibraries.calls("nvrtcGetPTX")).isEqualTo(texts + 1);
        sharedMemoryIsUndefinedInEveryBlock();
    }

    @AfterEach
    void close() {
        FakeCudaLibraries.set(CAPABILITY, "");
        gpu.close();
        FakeCudaLibraries.relaunch();
    }

    private Buffer zeros(int count) {
        Arena arena = new Arena(gpu);
        Buffer buffer = arena.reserve((long) count * Integer.BYTES, "a probe's memory");
        arena.allocate();
        return buffer;
    }

    private List<Integer> ints(Buffer buffer, int count) {
        int[] values = new int[count];
        gpu.compute().synchronize();
        buffer.read(Pointer.to(values));
        return IntStream.of(values).boxed().toList();
    }

    private float[] floats(Buffer buffer, int count) {
        float[] values = new float[count];
        gpu.compute().synchronize();
        buffer.read(Pointer.to(values));
        return values;
    }

    private record Orders(List<Integer> blocks, List<Integer> threads) {}

    private Orders orders() {
        Buffer counts = zeros(2);
        Buffer blocks = zeros(BLOCKS);
        Buffer threads = zeros(BLOCK);
        probes.launchBlocks("probe_order", BLOCKS, counts, blocks, threads);
        return new Orders(ints(blocks, BLOCKS), ints(threads, BLOCK));
    }

    @Test
    void blocksAndThreadsRunInAnotherOrderEachTime() {
        Set<Orders> seen = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            Orders orders = orders();
            assertThat(orders.blocks()).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
            assertThat(orders.threads()).doesNotHaveDuplicates();
            seen.add(orders);
        }
        assertThat(seen).hasSizeGreaterThan(5);
        assertThat(seen).extracting(Orders::blocks).anyMatch(blocks -> blocks.getFirst() != 0);
    }

    @Test
    void sharedMemoryIsUndefinedInEveryBlock() {
        Buffer found = zeros(BLOCKS * BLOCK);
        probes.launchBlocks("probe_shared", BLOCKS, found);
        assertThat(floats(found, BLOCKS * BLOCK)).containsOnly(Float.NaN);
    }

    @Test
    void detectsAMissingBarrier() {
        Buffer sums = zeros(BLOCKS * BLOCK);
        probes.launchBlocks("probe_missing_barrier", BLOCKS, sums);
        assertThat(floats(sums, BLOCKS * BLOCK)).contains(Float.NaN);
    }

    @Test
    void aMisalignedAddressIsRefused() {
        Buffer values = zeros(BLOCK + 1);
        Buffer to = zeros(BLOCK);
        probes.launchBlocks("probe_alignment", 1, values.slice(4, 4L * BLOCK, "aligned"), to);
        gpu.compute().synchronize();
        probes.launchBlocks("probe_alignment", 1, values.slice(2, 4L * BLOCK, "misaligned"), to);
        assertThatThrownBy(() -> gpu.compute().synchronize())
                .isInstanceOf(DeviceLostException.class)
                .hasMessageContaining("CUDA_ERROR_MISALIGNED_ADDRESS (716)");
    }

    @Test
    void theThreadsOfAWarpExchangeValues() {
        Buffer sums = zeros(BLOCKS * BLOCK);
        Buffer sixths = zeros(BLOCKS * BLOCK);
        probes.launchBlocks("probe_shuffles", BLOCKS, sums, sixths);
        List<Integer> added = ints(sums, BLOCKS * BLOCK);
        List<Integer> shown = ints(sixths, BLOCKS * BLOCK);
        for (int i = 0; i < BLOCKS * BLOCK; i++) {
            int warp = i % BLOCK / 32 * 32;
            assertThat(added.get(i)).isEqualTo(32 * warp + 31 * 16);
            assertThat(shown.get(i)).isEqualTo(warp + 5);
        }
    }

    @Test
    void aThreadMissingFromItsWarpEndsTheContext() {
        probes.launchBlocks("probe_missing_lane", 1, zeros(BLOCK));
        assertThatThrownBy(() -> gpu.compute().synchronize())
                .isInstanceOf(DeviceLostException.class)
                .hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED (719)");
    }
}
