package io.trainyard.device.cuda.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelCacheTest {
    private static final int DIGEST_BYTES = 32;
    private static final Instant NOW = Instant.parse("2026-11-27T00:00:00Z");

    @TempDir
    private Path dir;

    private final AtomicInteger compilations = new AtomicInteger();

    private KernelCache cache() {
        return cache(1 << 20, NOW);
    }

    private KernelCache cache(long maxBytes, Instant now) {
        return new KernelCache(dir.resolve("kernels"), maxBytes, Clock.fixed(now, ZoneOffset.UTC));
    }

    private byte[] compiled(KernelCache cache, int bytes, String... key) {
        return cache.get(List.of(key), () -> {
            compilations.incrementAndGet();
            byte[] code = new byte[bytes];
            code[0] = (byte) key.length;
            return code;
        });
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(dir.resolve("kernels"))) {
            return files.toList();
        }
    }

    @Test
    void anotherProcessDoesNotCompileTheSame() {
        byte[] first = compiled(cache(), 100, "sm_90", "NVRTC 13.0", "source");
        assertThat(compiled(cache(), 100, "sm_90", "NVRTC 13.0", "source")).isEqualTo(first);
        assertThat(compilations).hasValue(1);
    }

    @Test
    void compilesUncachedInputs() {
        compiled(cache(), 100, "sm_90", "NVRTC 13.0", "source");
        compiled(cache(), 100, "sm_80", "NVRTC 13.0", "source");
        compiled(cache(), 100, "sm_90", "NVRTC 13.1", "source");
        compiled(cache(), 100, "sm_90", "NVRTC 13.0", "source ");
        compiled(cache(), 100, "sm_90NVRTC 13.0", "source");
        assertThat(compilations).hasValue(5);
    }

    @Test
    void aDamagedFileIsCompiledAgain() throws Exception {
        compiled(cache(), 100, "a");
        Path file = files().getFirst();
        byte[] content = Files.readAllBytes(file);
        content[DIGEST_BYTES + 50] ^= 1;
        Files.write(file, content);
        compiled(cache(), 100, "a");
        assertThat(compilations).hasValue(2);
        Files.write(file, new byte[10]);
        compiled(cache(), 100, "a");
        assertThat(compilations).hasValue(3);
        compiled(cache(), 100, "a");
        assertThat(compilations).hasValue(3);
    }

    @Test
    void theLeastRecentlyUsedAreDeleted() throws Exception {
        long two = 2 * (1_000 + DIGEST_BYTES);
        compiled(cache(two, NOW), 1_000, "a");
        compiled(cache(two, NOW.plusSeconds(1)), 1_000, "b");
        Instant later = Instant.now().plusSeconds(60);
        compiled(cache(two, later), 1_000, "a"); // used again
        compiled(cache(two, later), 1_000, "c");
        assertThat(files()).hasSize(2);
        assertThat(compilations).hasValue(3);
        compiled(cache(two, later), 1_000, "a");
        assertThat(compilations).hasValue(3);
        compiled(cache(two, later), 1_000, "b");
        assertThat(compilations).hasValue(4);
    }

    @Test
    void aReadOnlyFolderOnlyCostsTime() throws Exception {
        Files.writeString(dir.resolve("kernels"), "a file");
        assertThat(compiled(cache(), 100, "a")).hasSize(100);
        assertThat(compiled(cache(), 100, "a")).hasSize(100);
        assertThat(compilations).hasValue(2);
    }

    @Test
    void severalProcessesMayWriteTheSame() throws Exception {
        byte[] expected = compiled(cache(), 100_000, "a", "b");
        Files.delete(files().getFirst());
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Callable<byte[]>> all = IntStream.range(0, 64)
                    .mapToObj(_ -> (Callable<byte[]>) () -> compiled(cache(), 100_000, "a", "b"))
                    .toList();
            for (Future<byte[]> one : threads.invokeAll(all)) {
                assertThat(one.get()).isEqualTo(expected);
            }
        }
        assertThat(files()).hasSize(1);
    }

    @Test
    void theEnvironmentNamesTheFolder() {
        String home = dir.toString();
        compiled(KernelCache.of(Map.of(), home), 10, "a");
        assertThat(dir.resolve(".cache/trainyard/kernels")).isNotEmptyDirectory();
        String xdg = dir.resolve("xdg").toString();
        compiled(KernelCache.of(Map.of("XDG_CACHE_HOME", xdg), home), 10, "a");
        assertThat(dir.resolve("xdg/trainyard/kernels")).isNotEmptyDirectory();
        String own = dir.resolve("own").toString();
        compiled(KernelCache.of(Map.of("XDG_CACHE_HOME", xdg, "CUDA_KERNEL_CACHE", own), home), 10, "a");
        assertThat(dir.resolve("own")).isNotEmptyDirectory();
        compiled(KernelCache.of(Map.of("CUDA_KERNEL_CACHE", "off"), home), 10, "a");
        assertThat(compilations).hasValue(4);
    }
}
