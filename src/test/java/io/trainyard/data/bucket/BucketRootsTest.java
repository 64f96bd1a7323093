package io.trainyard.data.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.data.DataRoot;
import io.trainyard.data.DatasetException;
import io.trainyard.data.DatasetUnavailableException;
import io.trainyard.data.FetchProgress;
import io.trainyard.s3.S3FaultProxy;
import io.trainyard.s3.S3FaultProxy.Fate;
import io.trainyard.s3.S3Server;
import io.trainyard.s3.S3ServerAccess;
import io.trainyard.spec.DatasetSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Datasets in a real server's bucket, behind a proxy that counts and breaks requests.
@Slow
final class BucketRootsTest {
    private static final S3Server SERVER = S3Server.S3PROXY;
    private static final int BYTES = 100_000;

    @TempDir
    private Path folder;

    private URI place;
    private S3FaultProxy proxy;

    @BeforeEach
    void stand() {
        place = SERVER.newBucket();
        proxy = new S3FaultProxy(SERVER);
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    private BucketRoots roots(long limitBytes) throws IOException {
        return BucketRoots.open(
                place.toString(),
                folder.resolve("cache"),
                new CacheSize(limitBytes),
                S3Server.settings(proxy.endpoint(), Patience.LIMIT));
    }

    private byte[] put(String key, int seed) {
        byte[] content = new byte[BYTES];
        new Random(seed).nextBytes(content);
        S3ServerAccess.put(SERVER, place, key, content);
        return content;
    }

    private static Path fetch(BucketRoots roots, String dataset) {
        return roots.of(dataset, FetchProgress.IGNORED).path();
    }

    /// The number of GET requests for objects.
    private long gets() {
        return proxy.seen().stream()
                .filter(request ->
                        request.is("GET", "check/points/") && !request.line().contains("list-type"))
                .count();
    }

    @Test
    void downloadsADatasetOnceAndThenItsChanges() throws IOException {
        byte[] images = put("letters/deep/images", 1);
        byte[] labels = put("letters/labels", 2);
        put("letters2/other", 3);
        S3ServerAccess.put(SERVER, place, "letters/nothing", new byte[0]);
        BucketRoots roots = roots(1 << 30);
        Path root = fetch(roots, "letters");
        assertThat(root.resolve("letters/deep/images")).hasBinaryContent(images);
        assertThat(root.resolve("letters/labels")).hasBinaryContent(labels);
        assertThat(root.resolve("letters/nothing")).isEmptyFile();
        assertThat(root.resolve("letters2")).doesNotExist();
        assertThat(gets()).isEqualTo(2);

        assertThat(fetch(roots, "letters")).isEqualTo(root);
        assertThat(fetch(roots(1 << 30), "letters")).isEqualTo(root);
        assertThat(gets()).as("nothing has changed").isEqualTo(2);

        byte[] newer = put("letters/labels", 4);
        Path next = fetch(roots, "letters");
        assertThat(next.resolve("letters/labels")).hasBinaryContent(newer);
        assertThat(next.resolve("letters/deep/images")).hasBinaryContent(images);
        assertThat(root.resolve("letters/labels"))
                .as("current readers keep the old version")
                .hasBinaryContent(labels);
        assertThat(gets()).isEqualTo(3);
    }

    @Test
    void oneOfManyDownloadsADataset() throws Exception {
        for (int i = 0; i < 6; i++) {
            put("letters/file-" + i, i);
        }
        List<Callable<Path>> tasks = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            BucketRoots roots = roots(1 << 30);
            tasks.add(() -> fetch(roots, "letters"));
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
            for (Future<Path> root : threads.invokeAll(tasks)) {
                try (Stream<Path> files = Files.list(root.get().resolve("letters"))) {
                    assertThat(files).hasSize(6);
                }
            }
        }
        assertThat(gets()).isEqualTo(6);
    }

    @Test
    void evictsTheLeastRecentlyUsedAndNothingInUse() throws Exception {
        for (int set = 1; set <= 4; set++) {
            put("set-" + set + "/file", set);
        }
        BucketRoots one = roots(3 * BYTES);
        BucketRoots two = roots(3 * BYTES);
        Path first = fetch(one, "set-1");
        Path second = fetch(two, "set-2");
        Path third = fetch(two, "set-3");
        Path fourth = fetch(two, "set-4");
        assertThat(first).as("in use").exists();
        assertThat(second).as("the longest unused").doesNotExist();
        assertThat(third).exists();
        assertThat(fourth).exists();
        try (Stream<Path> files = Files.list(folder.resolve("cache/files"))) {
            assertThat(files).hasSize(3);
        }
    }

    @Test
    void reportsAFullDisk() throws IOException {
        put("set-1/file", 1);
        put("set-2/file", 2);
        BucketRoots one = roots(BYTES + 1);
        Path first = fetch(one, "set-1");
        assertThatThrownBy(() -> fetch(roots(BYTES + 1), "set-2"))
                .isInstanceOf(DatasetUnavailableException.class)
                .hasMessageContaining(
                        "it needs %d bytes more, and of the %d that the cache may have (TRAINYARD_DATA_CACHE_LIMIT) %d are in use",
                        BYTES, BYTES + 1, BYTES);
        assertThat(first).exists();
        assertThat(fetch(one, "set-2"))
                .as("only this process used the evicted dataset")
                .exists();
        assertThat(first).doesNotExist();
    }

    /// Each answer breaks off halfway, and the received part is retained.
    @Test
    void resumesABrokenConnection() throws IOException {
        byte[] content = put("letters/file", 1);
        AtomicInteger torn = new AtomicInteger();
        proxy.rule(request ->
                request.is("GET", "letters/file") && torn.incrementAndGet() <= 3 ? new Fate.Torn() : Fate.ARRIVES);
        assertThat(fetch(roots(1 << 30), "letters").resolve("letters/file")).hasBinaryContent(content);
        assertThat(proxy.seen().stream()
                        .filter(request -> request.headers()
                                .toLowerCase(java.util.Locale.ROOT)
                                .contains("range: bytes=")))
                .hasSize(3);
    }

    @Test
    void removesFilesOfAKilledProcess() throws IOException {
        put("letters/file", 1);
        BucketRoots roots = roots(BYTES);
        Path half = Files.createDirectories(folder.resolve("cache/sets/.0123/letters"));
        Files.write(half.resolve("file"), new byte[BYTES]);
        Files.writeString(folder.resolve("cache/wanted/0123"), "99999");
        assertThat(fetch(roots, "letters")).exists();
        assertThat(folder.resolve("cache/sets/.0123")).doesNotExist();
        assertThat(folder.resolve("cache/wanted")).isEmptyDirectory();
    }

    @Test
    void distinguishesAMissingDatasetFromAnUnreachableBucket() throws IOException {
        BucketRoots roots = roots(1 << 30);
        assertThatThrownBy(() -> fetch(roots, "letters"))
                .isExactlyInstanceOf(DatasetException.class)
                .hasMessageContaining("dataset letters is not there: %s has no object below letters/", place);
        proxy.rule(_ -> new Fate.Refused(403, "AccessDenied"));
        assertThatThrownBy(() -> fetch(roots, "letters"))
                .isInstanceOf(DatasetUnavailableException.class)
                .hasMessageContaining("dataset letters cannot be looked for in %s: the server answered 403", place);
        assertThat(new DataRoot(fetch(roots, "shapes28"))
                        .open(DatasetSpec.named("shapes28"))
                        .outputs())
                .as("generated: it is not asked for")
                .isEqualTo(10);
        assertThatThrownBy(() -> roots(1 << 30))
                .isExactlyInstanceOf(DatasetException.class)
                .hasMessageContaining("the data root %s cannot be read", place);
    }

    @Test
    void refusesObjectsWithoutAFileName() throws IOException {
        S3ServerAccess.put(SERVER, place, "letters/a\\b", new byte[1]);
        assertThatThrownBy(() -> fetch(roots(1 << 30), "letters"))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("has an object \"letters/a\\b\", which is not the name of a file in a folder");
        assertThat(folder.resolve("cache/sets")).isEmptyDirectory();
    }

    @Test
    void reportsProgress() throws IOException {
        put("letters/file", 1);
        put("letters/file2", 2);
        List<Long> reported = new ArrayList<>();
        AtomicInteger polls = new AtomicInteger();
        proxy.rule(request -> {
            if (request.is("GET", "letters/file")) {
                polls.incrementAndGet();
                Patience.await("news of the fetch").until(() -> {
                    synchronized (reported) {
                        return !reported.isEmpty();
                    }
                });
            }
            return Fate.ARRIVES;
        });
        var _ = roots(1 << 30).of("letters", (dataset, bytes, totalBytes) -> {
            assertThat(dataset).isEqualTo("letters");
            assertThat(totalBytes).isEqualTo(2 * BYTES);
            synchronized (reported) {
                reported.add(bytes);
            }
        });
        assertThat(polls).hasValue(2);
        assertThat(reported).isSorted().startsWith(0L);
    }

    @Test
    void locksExcludeOtherProcesses() throws Exception {
        Path file = folder.resolve("lock");
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockHolder.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(other.getInputStream().read()).isEqualTo('L');
            assertThat(CacheLock.tryAlone(file)).isEmpty();
            try (CacheLock _ = CacheLock.tryShared(file).orElseThrow();
                    CacheLock _ = CacheLock.tryShared(file).orElseThrow()) {
                assertThat(CacheLock.tryAlone(file)).isEmpty();
            }
            assertThat(CacheLock.tryAlone(file)).as("still shared by the other").isEmpty();
        } finally {
            var _ = Patience.exitStatus(other.destroyForcibly());
        }
        try (CacheLock _ = CacheLock.tryAlone(file).orElseThrow()) {
            assertThat(CacheLock.tryShared(file)).isEmpty();
        }
    }

    /// A process that holds a shared lock until it is killed.
    static final class LockHolder {
        private LockHolder() {}

        static void main(String[] arguments) throws Exception {
            try (CacheLock _ = CacheLock.tryShared(Path.of(arguments[0])).orElseThrow()) {
                System.out.print('L');
                System.out.flush();
                var _ = System.in.read();
            }
        }
    }
}
