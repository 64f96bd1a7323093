package io.trainyard.tracking;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.SeededProperty;
import io.trainyard.Slow;
import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.EventJson;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.LossSpec.CrossEntropy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;

/// Arbitrary records from the topics, written to the store and read back.
@Slow
class StoredRecordsTest {
    private static final long NOW = SampleEvents.TIME.toEpochMilli();

    private static TrackingStore open(String url) {
        return TrackingStore.open(url);
    }

    /// The numbers are as short as possible in the command, and longer when written.
    private static JobSpec job(int channels, int classes, String number) {
        String numbers = (number + ",").repeat(channels);
        return JobJson.read("""
                {"id": "a", "network": "lenet", "epochs": 1,
                 "dataset": {"name": "mnist", "normalize": {"mean": [%1$s], "std": [%1$s]}},
                 "loss": {"type": "crossEntropy", "classWeights": [%2$s1]}}""".formatted(numbers.substring(0, numbers.length() - 1), "2,".repeat(classes - 1))
                .getBytes(StandardCharsets.UTF_8));
    }

    @Property(tries = 25, seed = "20251101")
    void readsAllThatItStores(
            @ForAll @IntRange(min = 1, max = Normalize.MAX_CHANNELS) int channels,
            @ForAll @IntRange(min = 1, max = CrossEntropy.MAX_CLASSES) int classes,
            @ForAll @StringLength(max = 2000) String text,
            @ForAll @IntRange(min = 0, max = 500) int repeated)
            throws IOException {
        JobSpec job = job(channels, classes, "1e5");
        TrainingEvent started = read("""
                {"type": "started", "job": "a", "attempt": 1, "spec": %s, "device": "cpu", "threads": 1, "trainSamples": 1,
                 "testSamples": 1, "classes": 10, "firstStep": 1, "stepsPerEpoch": 1, "parameters": [%s]}""".formatted(
                        JobJson.write(job),
                        String.join(
                                ",",
                                java.util.Collections.nCopies(
                                        repeated, "{\"name\": \"w\", \"shape\": [1], \"device\": \"cpu\"}"))));
        TrainingEvent tested = read("""
                {"type": "epochTested", "job": "a", "attempt": 1, "epoch": 0, "step": 1, "testLoss": 1, "testAccuracy": 1,
                 "classAccuracy": [%s0], "confusion": []}""".formatted("1,".repeat(classes - 1)));
        TrainingEvent failed = SampleEvents.failed("a", 1, text.repeat(repeated));
        List<EventRecord> published = new ArrayList<>();
        JobState expected = new JobState("a");
        expected.apply(new Requested("a", job, "commands-0 at offset 1", NOW));
        for (TrainingEvent event : List.of(claimed("a"), started, tested, failed)) {
            EventRecord happened = new EventRecord(event, NOW, "w", published.size());
            published.add(happened);
        }
        String url = Databases.SQLITE.empty();
        try (TrackingStore store = open(url)) {
            store.take(List.of(new Requested("a", job, "commands-0 at offset 1", NOW)), Map.of());
            for (EventRecord one : published) {
                try {
                    store.take(List.of(one), Map.of());
                    expected.apply(one);
                } catch (RuntimeException _) { // half a surrogate pair
                    assertThat(one).isEqualTo(published.getLast());
                }
            }
        }
        try (TrackingStore store = open(url)) {
            TrackingStore.Known known = store.known("a").orElseThrow();
            assertThat(known.omitted()).isNull();
            assertThat(known.state().spec()).isEqualTo(job);
            assertThat(known.state().status()).isEqualTo(expected.status());
            assertThat(known.state().epochs()).isEqualTo(expected.epochs());
            assertThat(known.state().reason()).isEqualTo(expected.reason());
        } finally {
            Files.deleteIfExists(Path.of(url.substring(Database.SQLITE.length())));
        }
    }

    private static TrainingEvent read(String json) throws IOException {
        return EventJson.readEvent(json.getBytes(StandardCharsets.UTF_8)).event();
    }

    /// As long as the reader permits, or written by another version.
    @Example
    void longAndUnreadableRecordsAffectNoOthers() throws Exception {
        String url = Databases.SQLITE.empty();
        try (TrackingStore store = open(url)) {
            TrainingEvent many = read("""
                    {"type": "epochTested", "job": "long", "attempt": 1, "epoch": 0, "step": 1, "testLoss": 1,
                     "classAccuracy": [%s0], "confusion": []}""".formatted("0,".repeat(3 << 20)));
            store.take(List.of(new EventRecord(many, NOW), new EventRecord(claimed("odd"), NOW)), Map.of());
        }
        try (var connection = DriverManager.getConnection(url);
                var statement = connection.createStatement()) {
            statement.execute("UPDATE job_records SET body = '{\"type\": \"of another version\"}' WHERE job = 2");
        }
        try (TrackingStore store = open(url)) {
            assertThat(store.known("long").orElseThrow().omitted()).isNull();
            store.take(
                    List.of(new EventRecord(claimed("odd", 2), NOW), new EventRecord(claimed("good"), NOW)), Map.of());
            assertThat(store.job("good")).isPresent();
            TrackingStore.Known odd = store.known("odd").orElseThrow();
            assertThat(odd.state().attempt()).isEqualTo(2);
            assertThat(odd.omitted()).startsWith("1 of its stored records cannot be read: ");
            assertThat(store.omitted()).isPositive();
        }
    }

    @Example
    void aJobWithTooManyRecordsKeepsTheStoredOnes() throws IOException {
        JobState state = new JobState("a");
        TrackedJob job = new TrackedJob(1, state, 100_000);
        TrainingEvent started = SampleEvents.started("a", 1, 1);
        assertThat(job.take(new EventRecord(started, NOW), 50_000)).isTrue();
        assertThat(job.isFull()).isTrue();
        assertThat(job.take(new EventRecord(SampleEvents.started("a", 2, 1), NOW), 50_000))
                .isFalse();
        assertThat(job.take(new EventRecord(SampleEvents.finished("a", 1, 10), NOW), 300))
                .isTrue();
        assertThat(state.status()).isEqualTo(JobState.Status.FINISHED);
        assertThat(state.attempt()).isEqualTo(1);
    }

    /// Each belongs to a different job, and has 4 MB of objects.
    @Example
    void theCacheIsLimitedInBytes() {
        try (TrackingStore store = open(Databases.SQLITE.empty())) {
            for (int i = 0; i < 300; i++) {
                store.take(
                        List.of(new EventRecord(SampleEvents.failed("job" + i, 1, "x".repeat(1_000_000)), NOW)),
                        Map.of());
                assertThat(store.rememberedBytes()).isLessThanOrEqualTo(TrackedJob.ALL_BYTES);
            }
            assertThat(store.job("job0")).isPresent();
        }
    }

    @Example
    void tooLongListsAreRefused() {
        assertThat(refusal(Normalize.MAX_CHANNELS + 1, 1))
                .hasValueSatisfying(reason -> assertThat(reason)
                        .contains("the length of dataset.normalize.mean is 10001; allowed is 0 to 10000"));
        assertThat(refusal(1, CrossEntropy.MAX_CLASSES + 1))
                .hasValueSatisfying(reason ->
                        assertThat(reason).contains("the length of loss.classWeights is 4097; allowed is 1 to 4096"));
        assertThat(refusal(Normalize.MAX_CHANNELS, CrossEntropy.MAX_CLASSES)).isEmpty();
    }

    private static Optional<String> refusal(int channels, int classes) {
        try {
            var _ = job(channels, classes, "1");
            return Optional.empty();
        } catch (InvalidJobException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    @Example
    void requestsForUnknownJobsAreBounded() {
        try (TrackingStore store = open(Databases.SQLITE.empty())) {
            store.take(List.of(new Requested("real", spec("real"), "commands-0 at offset 1", NOW)), Map.of());
            List<Control> controls = new ArrayList<>();
            controls.add(new Control("real", DesiredState.PAUSE, null, Instant.ofEpochMilli(1)));
            IntStream.range(0, ControlTable.MAX_UNKNOWN + 500)
                    .mapToObj(i -> new Control("forged" + i, DesiredState.CANCEL, null, Instant.ofEpochMilli(NOW + i)))
                    .forEach(controls::add);
            store.keep(controls);
            assertThat(store.forgetUnreadControls()).isEqualTo(500);
            assertThat(store.forgetUnreadControls()).isZero();
            assertThat(store.control("real")).isPresent();
            assertThat(store.control("forged499")).isEmpty();
            assertThat(store.control("forged500")).isPresent();
        }
    }

    @SeededProperty
    void aJobThatIsReadAgainIsTheSame(@ForAll @IntRange(min = 1, max = 40) int channels) {
        JobSpec job = job(channels, 10, "0.5");
        assertThat(JobJson.readWritten(JobJson.write(job))).isEqualTo(job);
    }
}
