package io.trainyard.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.DeviceChoices;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A job resumes only from complete checkpoints, and only superfluous ones are deleted.
class JobCheckpointsTest {
    private static final Retention ALL = new Retention(Integer.MAX_VALUE, false);

    @TempDir
    private Path root;

    private CheckpointStore store;
    private JobCheckpoints checkpoints;
    private Path folder;

    @BeforeEach
    void open() {
        store = CheckpointStore.open(root.toUri());
        checkpoints = new JobFolder(store, "job").checkpoints();
        folder = root.resolve("job/checkpoints");
    }

    @Test
    void loadsSavedCheckpoints() {
        CheckpointRef _ = checkpoints.save(checkpoint(9, 1));
        assertThat(checkpoints.newest().orElseThrow())
                .usingRecursiveComparison()
                .isEqualTo(checkpoint(9, 1));
        assertThat(checkpoint(9, 1).pending()).isNotEmpty();
    }

    @Test
    void everyAttemptSavesTheSameModel() {
        CheckpointRef first = checkpoints.save(checkpoint(9, 1));
        CheckpointRef second = checkpoints.save(checkpoint(9, 2));
        assertThat(second.sha256()).isEqualTo(first.sha256());
        assertThat(second.uri()).as("neither can spoil the other's").isNotEqualTo(first.uri());
    }

    @Test
    void theNewestIsOfTheHighestStepAndOfThatTheHighestAttempt() {
        for (int attempt : List.of(9, 10, 2)) {
            CheckpointRef _ = checkpoints.save(checkpoint(5, attempt));
        }
        CheckpointRef _ = checkpoints.save(checkpoint(4, 11));
        Checkpoint newest = checkpoints.newest().orElseThrow();
        assertThat(newest.progress().step()).isEqualTo(5);
        assertThat(newest.attempt()).isEqualTo(10);
    }

    /// A superseded worker that has not noticed yet may be ahead of the owner. The owner publishes the steps in
    /// between, so the next attempt must not skip them.
    @Test
    void skipsCheckpointsOfSupersededAttempts() {
        JobFolder job = new JobFolder(store, "job");
        CheckpointRef _ = checkpoints.save(checkpoint(400, 1));
        CheckpointRef _ = checkpoints.save(checkpoint(500, 1));
        job.noteFrom(2, checkpoints.newest());
        CheckpointRef _ = checkpoints.save(checkpoint(900, 1));
        assertThat(newestStep()).isEqualTo(500);
        job.noteFrom(3, checkpoints.newest());
        CheckpointRef _ = checkpoints.save(checkpoint(950, 2));
        assertThat(newestStep()).as("attempt 3 is of attempt 1's line").isEqualTo(500);
        CheckpointRef _ = checkpoints.save(checkpoint(600, 3));
        assertThat(newestStep()).isEqualTo(600);
        job.noteFrom(4, checkpoints.newest());
        CheckpointRef _ = checkpoints.save(checkpoint(700, 3));
        assertThat(newestStep()).isEqualTo(600);
        assertThat(checkpoints.lastStep()).isEqualTo(600);
    }

    @Test
    void anAttemptThatRestartedHasNoEarlierCheckpoints() {
        JobFolder job = new JobFolder(store, "job");
        job.noteFrom(2, checkpoints.newest());
        CheckpointRef _ = checkpoints.save(checkpoint(900, 1));
        assertThat(checkpoints.newest()).isEmpty();
        job.noteFrom(3, checkpoints.newest());
        CheckpointRef _ = checkpoints.save(checkpoint(10, 3));
        assertThat(newestStep()).isEqualTo(10);
    }

    /// The checkpoint that it resumed from may be damaged since then; the one before it belongs to the same
    /// line.
    @Test
    void missingCheckpointsAreSkippedAcrossAttempts() throws IOException {
        JobFolder job = new JobFolder(store, "job");
        CheckpointRef _ = checkpoints.save(checkpoint(400, 1));
        job.noteFrom(2, checkpoints.newest());
        CheckpointRef later = checkpoints.save(checkpoint(500, 2));
        job.noteFrom(3, checkpoints.newest());
        Files.delete(Path.of(later.uri()));
        assertThat(newestStep()).isEqualTo(400);
    }

    /// A changed byte in any file never leads to a wrong resume.
    @ParameterizedTest
    @ValueSource(strings = {".safetensors", ".training.safetensors", ".json"})
    void aFlippedBitAnywhereIsFound(String ending) throws IOException {
        CheckpointRef _ = checkpoints.save(checkpoint(9, 1));
        CheckpointRef _ = checkpoints.save(checkpoint(10, 1));
        Path file = folder.resolve("step-0000000010-1" + ending);
        byte[] whole = Files.readAllBytes(file);
        for (int i = 0; i < whole.length; i += 3) {
            byte[] flipped = whole.clone();
            flipped[i] ^= (byte) (1 << (i % Byte.SIZE));
            Files.write(file, flipped);
            assertThat(newestStep()).as("byte %d", i).isEqualTo(9);
        }
        Files.write(file, whole);
        assertThat(newestStep()).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(strings = {".safetensors", ".training.safetensors", ".json"})
    void detectsTruncatedAndMissingFiles(String ending) throws IOException {
        CheckpointRef _ = checkpoints.save(checkpoint(9, 1));
        CheckpointRef _ = checkpoints.save(checkpoint(10, 1));
        Path file = folder.resolve("step-0000000010-1" + ending);
        byte[] whole = Files.readAllBytes(file);
        for (int length : List.of(whole.length - 1, whole.length / 2, 0)) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThat(newestStep()).as("%d bytes", length).isEqualTo(9);
        }
        Files.write(file, Arrays.copyOf(whole, whole.length + 1));
        assertThat(newestStep()).as("a byte too many").isEqualTo(9);
        Files.delete(file);
        assertThat(newestStep()).isEqualTo(9);
    }

    @Test
    void storesDeviceChoicesWithTheTrainingState() {
        DeviceChoices choices = new DeviceChoices(Map.of(
                "NVIDIA H100, cuDNN 9.24.0",
                        Map.of("FORWARD of 64 times 3x32x32", "engine 1 knobs 2=3,12=0", "TO_DATA of it", "4"),
                "NVIDIA L4, cuDNN 9.24.0", Map.of("FORWARD of 64 times 3x32x32", "engine 6 knobs ")));
        Checkpoint plain = checkpoint(10, 1);
        CheckpointRef _ =
                checkpoints.save(new Checkpoint(plain.state(), plain.progress(), 2, choices, 1, plain.pending()));
        assertThat(checkpoints.newest().orElseThrow().choices()).isEqualTo(choices);
    }

    @Test
    void aCheckpointWithoutChoicesHasNone() {
        CheckpointRef _ = checkpoints.save(checkpoint(10, 1));
        assertThat(checkpoints.newest().orElseThrow().choices()).isEqualTo(DeviceChoices.NONE);
    }

    @Test
    void ignoresTheManifestOfAnotherCheckpoint() throws IOException {
        CheckpointRef _ = checkpoints.save(checkpoint(9, 1));
        CheckpointRef _ = checkpoints.save(checkpoint(10, 1));
        Files.copy(
                folder.resolve("step-0000000009-1.json"),
                folder.resolve("step-0000000010-1.json"),
                StandardCopyOption.REPLACE_EXISTING);
        assertThat(newestStep()).isEqualTo(9);
        assertThat(problemOf("job/10")).endsWith("its manifest is that of step 9 and attempt 1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        .json        | -1 | it has no manifest: the worker that wrote it was stopped before it was whole
        .json        | 5  | `its manifest is damaged: `
        .safetensors | -1 | `step-0000000010-1.safetensors is missing`
        .safetensors | 5  | `step-0000000010-1.safetensors has 5 bytes; its manifest states `
        """)
    void reportsErrors(String ending, int length, String problem) throws IOException {
        CheckpointRef _ = checkpoints.save(checkpoint(10, 1));
        Path file = folder.resolve("step-0000000010-1" + ending);
        byte[] whole = Files.readAllBytes(file);
        Files.delete(file);
        if (length >= 0) {
            Files.write(file, Arrays.copyOf(whole, length));
        }
        assertThat(problemOf("job/10"))
                .startsWith("the checkpoint \"job/10\" is not whole: ")
                .contains(problem);
    }

    @Test
    void anotherJobStartsFromTheNewestCompleteCheckpoint() throws IOException {
        CheckpointRef _ = checkpoints.save(checkpoint(9, 1));
        CheckpointRef _ = checkpoints.save(checkpoint(10, 1));
        CheckpointRef torn = checkpoints.save(checkpoint(10, 2));
        Files.write(Path.of(torn.uri()), new byte[] {1, 2, 3});
        assertThat(found("job")).isEqualTo(new CheckpointName("job", 10L));
        assertThat(found("job/10")).isEqualTo(new CheckpointName("job", 10L));
        Files.delete(folder.resolve("step-0000000010-1.json"));
        assertThat(found("job")).isEqualTo(new CheckpointName("job", 9L));
        assertThat(problemOf("job/10")).contains("step-0000000010-2.safetensors cannot be read: ");
    }

    /// A user's own `state_dict` has no manifest.
    @Test
    void loadsAForeignModelButNeverResumesFromIt() throws IOException {
        CheckpointRef saved = checkpoints.save(checkpoint(9, 1));
        Path own = Files.createDirectories(root.resolve("own/checkpoints"));
        Files.copy(Path.of(saved.uri()), own.resolve("step-0000000000.safetensors"));
        assertThat(SavedModel.find(store, new CheckpointName("own", null))
                        .name()
                        .step())
                .isZero();
        assertThat(new JobFolder(store, "own").checkpoints().newest()).isEmpty();
    }

    @Test
    void keepsTheLast() throws IOException {
        for (int step = 1; step <= 5; step++) {
            saveAndKeep(tested(step, 0.5), new Retention(2, false));
        }
        assertThat(kept()).containsExactly("4-1", "5-1");
        assertThat(newestStep()).isEqualTo(5);
    }

    @Test
    void retainsTheBestCheckpoint() throws IOException {
        double[] accuracies = {0.3, 0.8, 0.5, 0.8, 0.4};
        for (int step = 1; step <= 5; step++) {
            saveAndKeep(tested(step, accuracies[step - 1]), new Retention(1, true));
            saveAndKeep(checkpoint(100 * step, 1), ALL); // in the middle of an epoch, without a test
            Files.delete(folder.resolve("step-%010d-1.json".formatted(100 * step)));
        }
        saveAndKeep(tested(600, 0.1), new Retention(1, true));
        assertThat(kept()).containsExactly("2-1", "600-1");
    }

    /// Tests after steps 10, 20, 30, 40 and 50, and a checkpoint at 55.
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        ``                                 | 20
        `, "keepLast": 1, "keepBest": true`| 20
        `, "keepLast": 5`                  | 20
        `, "keepLast": 3`                  | `there is no checkpoint "job/best": the best test was after step 20, whose checkpoint is not retained with keepLast 3 and without keepBest; there are the steps 40, 50, 55; name one of them, such as "job/55", or train with "keepBest": true`
        `, "keepLast": 1`                  | `there is no checkpoint "job/best": none of 1 was saved after a test; there are the steps 55; name one of them, such as "job/55"`
        """)
    void findsTheCheckpointOfTheBestTest(String fields, String expected) {
        String spec =
                "{\"id\": \"job\", \"network\": \"lenet\", \"dataset\": \"mnist\", \"epochs\": 6%s}".formatted(fields);
        assertThat(new JobFolder(store, "job").keepSpec(spec)).isTrue();
        Retention retention = Retention.of(JobJson.read(spec.getBytes(UTF_8)));
        Progress at = Progress.beginning(new long[] {1, 2, 3});
        for (double accuracy : new double[] {0.3, 0.8, 0.5, 0.8, 0.4}) {
            at = at.plus(10, 1).nextEpoch(at.random(), new Progress.Measured(accuracy, 0.5, accuracy), 1);
            saveAndKeep(checkpoint(at, 1), retention);
        }
        saveAndKeep(checkpoint(at.plus(5, 1), 1), retention);
        String found = problemOf("job/best").replaceFirst("^found job/", "");
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void theBestRegressionCheckpointHasTheLowestLoss() throws IOException {
        double[] losses = {3, 0.5, 1, 0.5, 2};
        for (int step = 1; step <= 5; step++) {
            Progress at =
                    new Progress(3, 0, step, new long[] {1, 2, 3}, Double.NaN, 0, 1, 123_456, losses[step - 1], 0.5);
            saveAndKeep(checkpoint(at, 1), new Retention(1, true));
        }
        assertThat(kept()).containsExactly("2-1", "5-1");
        assertThat(checkpoints.newest().orElseThrow().progress().testLoss()).isEqualTo(2);
    }

    @Test
    void keepsAllUnlessAsked() throws IOException {
        for (int step = 1; step <= 3; step++) {
            saveAndKeep(tested(step, 0.5), ALL);
        }
        assertThat(kept()).containsExactly("1-1", "2-1", "3-1");
    }

    /// A superseded attempt may be ahead, and its last checkpoint may be incomplete.
    @Test
    void neverDeletesTheLastSavedOrNewerCheckpoints() throws IOException {
        saveAndKeep(tested(500, 0.5), new Retention(1, false));
        CheckpointRef torn = checkpoints.save(tested(900, 0.5));
        Files.write(Path.of(torn.uri()), new byte[0]);
        saveAndKeep(checkpoint(600, 2), new Retention(1, false));
        assertThat(kept()).containsExactly("600-2", "900-1");
        assertThat(newestStep()).isEqualTo(600);
        saveAndKeep(checkpoint(1000, 2), new Retention(1, false));
        assertThat(kept()).containsExactly("1000-2");
    }

    /// A worker freezes between a checkpoint's files and its manifest. Its successor deletes the files because
    /// they have no manifest; then the worker continues and writes the manifest.
    @Test
    void aSupersededAttemptDeletesNothing() {
        JobFolder job = new JobFolder(store, "job");
        Retention last = new Retention(1, false);
        assertThat(job.beginAttempt("a")).isEqualTo(1);
        saveAndKeep(checkpoint(1_000_000, 1), last);
        Checkpoint late = checkpoint(2_000_000, 1);
        CheckpointStore freezing = new FreezingStore(store, "step-0002000000-1.json", () -> {
            assertThat(job.beginAttempt("b")).isEqualTo(2);
            job.noteFrom(2, job.checkpoints().resume(job.chain(), 2));
        });
        JobCheckpoints a = new JobFolder(freezing, "job").checkpoints();
        CheckpointRef _ = a.save(late);
        assertThat(files()).as("a manifest without its files").contains("step-0002000000-1.json");
        assertThat(files()).doesNotContain("step-0002000000-1.safetensors");
        assertThat(a.keep(last, late)).isFalse();
        assertThat(job.beginAttempt("c")).as("b is killed before it saves").isEqualTo(3);
        assertThat(checkpoints.resume(job.chain(), 3).orElseThrow().progress().step())
                .isEqualTo(1_000_000);
        assertThat(checkpoints.lastStep()).isEqualTo(1_000_000);
        assertThat(kept()).as("useless checkpoints are deleted").containsExactly("1000000-1");
    }

    /// An attempt that freezes before it deletes must not delete checkpoints that a later attempt saved
    /// meanwhile.
    @Test
    void aFrozenAttemptDoesNotDeleteItsSuccessorsCheckpoints() throws IOException {
        JobFolder job = new JobFolder(store, "job");
        assertThat(job.beginAttempt("a")).isEqualTo(1);
        CheckpointRef _ = checkpoints.save(checkpoint(50, 1));
        Checkpoint newest = checkpoint(100, 1);
        CheckpointRef torn = checkpoints.save(newest);
        CheckpointStore freezing = new FreezingStore(store, "step-0000000050-1.json", () -> {
            assertThat(job.beginAttempt("b")).isEqualTo(2);
            write(Path.of(torn.uri()));
            job.noteFrom(2, job.checkpoints().resume(job.chain(), 2));
            CheckpointRef _ = checkpoints.save(checkpoint(75, 2));
        });
        assertThat(new JobFolder(freezing, "job").checkpoints().keep(new Retention(1, false), newest))
                .isTrue();
        assertThat(newestStep()).isEqualTo(75);
    }

    private static void write(Path file) {
        try {
            Files.write(file, new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Runs an action once before it writes or deletes an object, as if the process froze there.
    private static final class FreezingStore extends ForwardingStore {
        private final String ending;
        private @Nullable Runnable meanwhile;

        FreezingStore(CheckpointStore store, String ending, Runnable meanwhile) {
            super(store);
            this.ending = ending;
            this.meanwhile = meanwhile;
        }

        private void freeze(String key) {
            Runnable now = meanwhile;
            if (key.endsWith(ending) && now != null) {
                meanwhile = null;
                now.run();
            }
        }

        @Override
        public CheckpointRef write(String key, Content content) {
            freeze(key);
            return super.write(key, content);
        }

        @Override
        public void delete(String key) {
            freeze(key);
            super.delete(key);
        }
    }

    @Test
    void deletesUnfinishedCheckpoints() throws IOException {
        CheckpointRef _ = checkpoints.save(checkpoint(9, 1));
        CheckpointRef _ = checkpoints.save(checkpoint(10, 1));
        CheckpointRef _ = checkpoints.save(checkpoint(10, 3));
        Files.delete(folder.resolve("step-0000000010-1.json"));
        Files.delete(folder.resolve("step-0000000010-3.json"));
        Files.writeString(folder.resolve(".writing-1234"), "half a model");
        Files.writeString(folder.resolve("step-0000000000.safetensors"), "a person's");
        Optional<Checkpoint> _ = checkpoints.resume(new JobFolder(store, "job").chain(), 3);
        assertThat(files())
                .containsExactly(
                        "step-0000000000.safetensors",
                        "step-0000000009-1.json",
                        "step-0000000009-1.safetensors",
                        "step-0000000009-1.training.safetensors",
                        "step-0000000010-3.safetensors",
                        "step-0000000010-3.training.safetensors");
    }

    @Test
    void resumingWithoutCheckpointsCreatesNoFolder() {
        Optional<Checkpoint> _ = checkpoints.resume(new JobFolder(store, "job").chain(), 1);
        assertThat(folder).doesNotExist();
    }

    /// A file replaces the folder, so that writing fails even for root.
    @Test
    void reportsAnUnusableStore() throws IOException {
        Files.createDirectories(root.resolve("job"));
        Files.createFile(folder);
        assertThatThrownBy(() -> checkpoints.save(checkpoint(9, 1)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("step-0000000009-1.training.safetensors cannot be written: ");
    }

    private void saveAndKeep(Checkpoint checkpoint, Retention retention) {
        CheckpointRef _ = checkpoints.save(checkpoint);
        assertThat(checkpoints.keep(retention, checkpoint)).isTrue();
    }

    private long newestStep() {
        return checkpoints.newest().orElseThrow().progress().step();
    }

    private CheckpointName found(String name) {
        return SavedModel.find(store, CheckpointName.parse("checkpoint", name)).name();
    }

    private String problemOf(String name) {
        try {
            return "found " + found(name);
        } catch (CheckpointException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /// Steps and attempts of all manifests, in order.
    private List<String> kept() {
        return files().stream()
                .filter(name -> name.endsWith(".json"))
                .map(name -> name.replaceAll("step-0*|\\.json", ""))
                .toList();
    }

    private List<String> files() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// In the middle of an epoch.
    private static Checkpoint checkpoint(long step, int attempt) {
        return checkpoint(new Progress(3, 2, step, new long[] {1, 2, 3}, 0.9, 0.9, 1, 123_456, 0.25, 0.125), attempt);
    }

    /// At an epoch's end, after its test.
    private static Checkpoint tested(long step, double accuracy) {
        return checkpoint(new Progress(3, 0, step, new long[] {1, 2, 3}, accuracy, 0.9, 1, 123_456, 0.25, 0.125), 1);
    }

    private static Checkpoint checkpoint(Progress progress, int attempt) {
        float weight = progress.step();
        var model = new Parameters(Map.of("w", new Tensor.Floats(Shape.of(1), new float[] {weight})));
        var optimizer =
                new Parameters(Map.of("w.momentum_buffer", new Tensor.Floats(Shape.of(1), new float[] {-weight})));
        return new Checkpoint(
                new SessionState(model, optimizer),
                progress,
                2,
                attempt,
                List.of("{\"type\": \"stepLosses\", \"\u00e9\": 0.1}"));
    }
}
