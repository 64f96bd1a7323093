package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryStoreTest {
    @TempDir
    private Path root;

    private CheckpointStore store;

    @BeforeEach
    void open() {
        store = CheckpointStore.open(root.toUri());
    }

    @Test
    void keepsWhatIsWritten() throws Exception {
        byte[] content = "one".getBytes(StandardCharsets.UTF_8);
        CheckpointRef ref = store.write("job/checkpoints/a", out -> out.write(content));

        assertThat(read("job/checkpoints/a")).isEqualTo("one");
        assertThat(ref.bytes()).isEqualTo(3);
        assertThat(ref.uri()).isEqualTo(store.uri("job/checkpoints/a")).hasScheme("file");
        assertThat(ref.sha256())
                .isEqualTo(HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(content)));
    }

    @Test
    void writesInPlaceOfWhatIsThere() throws IOException {
        write("job/a", "one");
        write("job/a", "two");
        assertThat(read("job/a")).isEqualTo("two");
    }

    @Test
    void leavesTheOldObjectWhenWritingFails() throws IOException {
        write("job/a", "one");
        assertThatThrownBy(() -> store.write("job/a", out -> {
                    out.write(new byte[100_000]);
                    throw new IOException("disk full");
                }))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("disk full");
        assertThat(read("job/a")).isEqualTo("one");
        assertThat(filesIn(root.resolve("job"))).containsExactly("a");
    }

    @Test
    void oneOfManyCreates() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Callable<Boolean>> tries = IntStream.range(0, 32)
                    .<Callable<Boolean>>mapToObj(
                            i -> () -> store.createIfAbsent("job/attempts/1", new byte[] {(byte) i}))
                    .toList();
            long created = threads.invokeAll(tries).stream()
                    .filter(DirectoryStoreTest::get)
                    .count();
            assertThat(created).isEqualTo(1);
        }
        assertThat(filesIn(root.resolve("job/attempts"))).containsExactly("1");
    }

    @Test
    void allWhoAskAtOnceGetTheSameIdentity() throws Exception {
        Set<String> identities = ConcurrentHashMap.newKeySet();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Callable<Boolean>> tries = IntStream.range(0, 32)
                    .<Callable<Boolean>>mapToObj(_ -> () ->
                            identities.add(CheckpointStore.open(root.toUri()).identity()))
                    .toList();
            threads.invokeAll(tries).forEach(DirectoryStoreTest::get);
        }
        assertThat(identities)
                .singleElement()
                .satisfies(id -> assertThat(UUID.fromString(id)).hasToString(store.identity()));
        assertThat(CheckpointStore.open(root.resolve("other").toUri()).identity())
                .isNotEqualTo(store.identity());
        assertThat(filesIn(root)).containsExactlyInAnyOrder(".store-id", "other");
    }

    @Test
    void anIdentityThatIsNoneIsNotGuessed() throws IOException {
        Files.writeString(root.resolve(".store-id"), "mine\n");
        assertThatThrownBy(store::identity)
                .isInstanceOf(CheckpointException.class)
                .hasMessage(
                        "%s has 5 characters that are no UUID; delete it, and start all workers of this store anew",
                        root.resolve(".store-id"));
    }

    @Test
    void deletesWhatIsThere() {
        write("job/a", "one");
        assertThat(store.has("job/a")).isTrue();
        store.delete("job/a");
        store.delete("job/a");
        assertThat(store.has("job/a")).isFalse();
        assertThat(store.read("job/a")).isEmpty();
    }

    @Test
    void listsOneLevelInOrderWithoutUnfinishedFiles() throws IOException {
        write("job/b", "");
        write("job/a", "");
        Files.createFile(root.resolve("job/.writing-1234"));
        assertThat(store.list("job")).containsExactly("job/a", "job/b");
        assertThat(store.list("nothing")).isEmpty();
    }

    @Test
    void hasNoObjectThatWasNotWritten() {
        assertThat(store.open("job/a")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../a", "job/../../a", "/etc/passwd", "job//a", ".hidden", "job/.writing-1", "a b", ""})
    void refusesKeysThatAreNone(String key) {
        assertThatThrownBy(() -> write(key, "x"))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("not a key");
    }

    @Test
    void opensAPathAndRefusesOtherSchemes() {
        assertThat(CheckpointStore.open(URI.create(root + "/new")).uri("a").getPath())
                .isEqualTo(root + "/new/a");
        assertThatThrownBy(() -> CheckpointStore.open(URI.create("ftp://host/a")))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("ftp")
                .hasMessageContaining("allowed is");
    }

    @Test
    void saysWhenTheFolderCannotBe() throws IOException {
        Path file = Files.createFile(root.resolve("file"));
        assertThatThrownBy(() -> CheckpointStore.open(file.toUri()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString());
    }

    private void write(String key, String content) {
        CheckpointRef _ = store.write(key, out -> out.write(content.getBytes(StandardCharsets.UTF_8)));
    }

    private String read(String key) throws IOException {
        try (InputStream in = store.open(key).orElseThrow()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static List<String> filesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static boolean get(Future<Boolean> future) {
        try {
            return future.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
