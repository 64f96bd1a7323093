package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The contract of every store.
abstract class AbstractCheckpointStoreTest {
    /// More than two parts of a multipart upload.
    private static final int LARGE_BYTES = 11 << 20;

    CheckpointStore store;

    /// A location for a store that no other test uses.
    abstract URI newPlace() throws IOException;

    /// Opens the store as one process.
    abstract CheckpointStore open(URI place);

    /// Opens the store read-only.
    abstract CheckpointStore openToRead(URI place);

    /// The URI scheme of the store.
    abstract String scheme();

    URI place;

    @BeforeEach
    void open() throws IOException {
        place = newPlace();
        store = open(place);
    }

    @Test
    void storesFiles() throws Exception {
        byte[] content = "one".getBytes(StandardCharsets.UTF_8);
        CheckpointRef ref = store.write("job/checkpoints/a", out -> out.write(content));

        assertThat(read("job/checkpoints/a")).isEqualTo("one");
        assertThat(ref.bytes()).isEqualTo(3);
        assertThat(ref.uri()).isEqualTo(store.uri("job/checkpoints/a")).hasScheme(scheme());
        assertThat(ref.uri().getPath()).endsWith("/job/checkpoints/a");
        assertThat(ref.sha256()).isEqualTo(sha256(content));
    }

    @Test
    void storesEmptyFiles() {
        CheckpointRef ref = store.write("job/a", _ -> {});
        assertThat(ref.bytes()).isZero();
        assertThat(store.read("job/a").orElseThrow()).isEmpty();
    }

    @Test
    void keepsLargeObjectsToTheByte() throws Exception {
        byte[] content = new byte[LARGE_BYTES];
        new Random(5).nextBytes(content);
        CheckpointRef ref = store.write("job/large", out -> {
            out.write(content[0]);
            out.write(content, 1, 6 << 20);
            new ByteArrayInputStream(content, 1 + (6 << 20), content.length).transferTo(out);
        });
        assertThat(ref.bytes()).isEqualTo(LARGE_BYTES);
        assertThat(ref.sha256()).isEqualTo(sha256(content));
        assertThat(store.read("job/large").orElseThrow()).isEqualTo(content);
        assertThat(open(place).list("job")).containsExactly("job/large");
    }

    @Test
    void replacesFiles() throws IOException {
        write("job/a", "one");
        write("job/a", "two");
        assertThat(read("job/a")).isEqualTo("two");
    }

    /// For small and large objects.
    @ParameterizedTest
    @ValueSource(ints = {100_000, LARGE_BYTES})
    void leavesTheOldObjectWhenWritingFails(int bytes) throws IOException {
        write("job/a", "one");
        assertThatThrownBy(() -> store.write("job/a", out -> {
                    out.write(new byte[bytes]);
                    throw new IOException("the content fails");
                }))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(store.uri("job/a").getPath())
                .hasMessageContaining("cannot be written")
                .hasMessageContaining("the content fails");
        assertThat(read("job/a")).isEqualTo("one");
        assertThat(store.list("job")).containsExactly("job/a");
        assertThat(unfinished("job")).isEmpty();
    }

    /// Unfinished writes in a folder.
    abstract List<String> unfinished(String folder) throws IOException;

    @Test
    void createsOnce() throws IOException {
        assertThat(store.createIfAbsent("job/spec.json", new byte[] {'a'})).isTrue();
        assertThat(store.createIfAbsent("job/spec.json", new byte[] {'b'})).isFalse();
        assertThat(read("job/spec.json")).isEqualTo("a");
    }

    /// Equal bytes do not make the second creator the first one.
    @Test
    void onlyOneOfTwoCreatesSucceeds() {
        assertThat(store.createIfAbsent("job/a", new byte[] {'a'})).isTrue();
        assertThat(open(place).createIfAbsent("job/a", new byte[] {'a'})).isFalse();
    }

    @Test
    void oneOfManyCreates() throws Exception {
        List<CheckpointStore> many =
                IntStream.range(0, 4).mapToObj(_ -> open(place)).toList();
        for (int round = 0; round < 3; round++) {
            String key = "job/attempts/" + (1 + round);
            List<Boolean> created = all(
                    32,
                    i -> many.get(i % many.size())
                            .createIfAbsent(key, Integer.toString(i).getBytes(StandardCharsets.US_ASCII)));
            assertThat(created).containsOnlyOnce(true);
            assertThat(read(key))
                    .as("the content of the successful writer")
                    .isEqualTo(Integer.toString(created.indexOf(true)));
        }
        assertThat(store.list("job/attempts")).hasSize(3);
        assertThat(unfinished("job/attempts")).isEmpty();
    }

    @Test
    void concurrentReadersGetTheSameIdentity() throws Exception {
        Set<String> identities = ConcurrentHashMap.newKeySet();
        var _ = all(16, _ -> identities.add(open(place).identity()));
        assertThat(identities)
                .singleElement()
                .satisfies(id -> assertThat(UUID.fromString(id)).hasToString(store.identity()));
        assertThat(open(newPlace()).identity()).isNotEqualTo(store.identity());
        assertThat(openToRead(place).identity()).isEqualTo(store.identity());
    }

    @Test
    void anInvalidIdentityIsAnError() throws IOException {
        putIdentity("mine\n");
        assertThatThrownBy(store::identity)
                .isInstanceOf(CheckpointException.class)
                .hasMessageEndingWith(
                        "/.store-id has 5 characters that are not a UUID; delete it, and restart all workers of this store");
    }

    /// Writes the identity file by hand.
    abstract void putIdentity(String text) throws IOException;

    @Test
    void storesEmptyNotes() {
        store.note("job/attempts/1.started");
        store.note("job/attempts/1.started");
        assertThat(store.has("job/attempts/1.started")).isTrue();
        assertThat(store.read("job/attempts/1.started").orElseThrow()).isEmpty();
    }

    @Test
    void deletesFiles() {
        write("job/a", "one");
        assertThat(store.has("job/a")).isTrue();
        store.delete("job/a");
        store.delete("job/a");
        assertThat(store.has("job/a")).isFalse();
        assertThat(store.read("job/a")).isEmpty();
        assertThat(store.createIfAbsent("job/a", new byte[0]))
                .as("it can be created again")
                .isTrue();
    }

    @Test
    void listsOneLevelInOrder() throws IOException {
        for (String key : List.of("job/b", "job/a", "job/a2/x", "job/a2/y", "job/a-1", "job2/c")) {
            write(key, "");
        }
        begin("job");
        assertThat(store.list("job")).containsExactly("job/a", "job/a-1", "job/a2", "job/b");
        assertThat(store.list("nothing")).isEmpty();
        assertThat(store.list("job/a")).as("an object is no folder").isEmpty();
    }

    @Test
    void deletesUnfinishedFiles() throws IOException {
        write("job/checkpoints/a", "one");
        begin("job/checkpoints");
        begin("other/checkpoints");
        assertThat(unfinished("job/checkpoints")).hasSize(1);
        store.sweep("job/checkpoints");
        assertThat(unfinished("job/checkpoints")).isEmpty();
        assertThat(unfinished("other/checkpoints")).hasSize(1);
        assertThat(read("job/checkpoints/a")).isEqualTo("one");
        store.sweep("nothing");
    }

    /// Begins to write an object and never finishes, like a killed process.
    abstract void begin(String folder) throws IOException;

    @Test
    void missingObjectsAreAbsent() {
        assertThat(store.open("job/a")).isEmpty();
        assertThat(store.has("job/a")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../a", "job/../../a", "/etc/passwd", "job//a", ".hidden", "job/.writing-1", "a b", ""})
    void refusesInvalidKeys(String key) {
        List<Runnable> uses = List.of(
                () -> write(key, "x"),
                () -> store.createIfAbsent(key, new byte[0]),
                () -> store.open(key),
                () -> store.has(key),
                () -> store.delete(key),
                () -> store.list(key),
                () -> store.sweep(key),
                () -> store.note(key),
                () -> store.uri(key));
        assertThat(uses)
                .allSatisfy(use -> assertThatThrownBy(use::run)
                        .isInstanceOf(CheckpointException.class)
                        .hasMessageContaining("not a key"));
    }

    @Test
    void isReadWithoutBeingWritten() throws IOException {
        write("job/a", "one");
        CheckpointStore reader = openToRead(place);
        assertThat(reader.read("job/a").orElseThrow()).asString().isEqualTo("one");
        assertThat(reader.list("job")).containsExactly("job/a");
    }

    void write(String key, String content) {
        CheckpointRef _ = store.write(key, out -> out.write(content.getBytes(StandardCharsets.UTF_8)));
    }

    String read(String key) throws IOException {
        Optional<InputStream> found = store.open(key);
        try (InputStream in = found.orElseThrow()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    static String sha256(byte[] content) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    }

    /// One of many concurrent actions.
    @FunctionalInterface
    private interface Task<T> {
        T run(int number) throws Exception;
    }

    private static <T> List<T> all(int count, Task<T> task) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Callable<T>> tasks = IntStream.range(0, count)
                    .<Callable<T>>mapToObj(i -> () -> task.run(i))
                    .toList();
            return threads.invokeAll(tasks).stream()
                    .map(AbstractCheckpointStoreTest::get)
                    .toList();
        }
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
