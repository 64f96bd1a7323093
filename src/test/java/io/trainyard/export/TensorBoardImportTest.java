package io.trainyard.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.ByteString;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Epoch;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.export.TensorBoardImport.Imported;
import io.trainyard.export.TensorBoardImport.Metric;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.Partition;
import io.trainyard.tracking.Stored;
import io.trainyard.tracking.TrackingStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tensorflow.framework.DataType;
import org.tensorflow.framework.Summary;
import org.tensorflow.framework.TensorProto;
import org.tensorflow.util.Event;

/// The event files consist of TensorFlow's own messages.
class TensorBoardImportTest {
    private static final double START = 1_700_000_000;

    @TempDir
    private Path folder;

    private static Event scalar(String tag, long step, float value) {
        return event(step, Summary.Value.newBuilder().setTag(tag).setSimpleValue(value));
    }

    /// As TensorFlow 2 writes it.
    private static Event tensor(String tag, long step, float value) {
        ByteString content = ByteString.copyFrom(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(value)
                .flip());
        return event(
                step,
                Summary.Value.newBuilder()
                        .setTag(tag)
                        .setTensor(TensorProto.newBuilder()
                                .setDtype(DataType.DT_FLOAT)
                                .setTensorContent(content)));
    }

    private static Event event(long step, Summary.Value.Builder value) {
        return Event.newBuilder()
                .setWallTime(START + step)
                .setStep(step)
                .setSummary(Summary.newBuilder().addValue(value))
                .build();
    }

    private Path write(String run, List<Event> events) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Event event : events) {
            byte[] data = event.toByteArray();
            byte[] length = bytes(8).putLong(data.length).array();
            out.writeBytes(length);
            out.writeBytes(bytes(4).putInt(EventFile.checksumOf(length, 8)).array());
            out.writeBytes(data);
            out.writeBytes(
                    bytes(4).putInt(EventFile.checksumOf(data, data.length)).array());
        }
        Path file = folder.resolve(run).resolve("events.out.tfevents.1700000000.host");
        Files.createDirectories(file.getParent());
        return Files.write(file, out.toByteArray());
    }

    private static ByteBuffer bytes(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private List<Imported> run(TrackingStore store) {
        List<Imported> all = new ArrayList<>();
        new TensorBoardImport(store, Map.of("nll", Metric.TRAIN_LOSS)).run(folder, "old.", all::add);
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void runsBecomeJobsOnce(Databases kind) throws IOException {
        write(
                "lenet/lr 0.1",
                List.of(
                        Event.newBuilder()
                                .setWallTime(START)
                                .setFileVersion("brain.Event:2")
                                .build(),
                        scalar("training loss", 0, 2.5f),
                        scalar("training loss", 1, 2.25f),
                        tensor("training loss", 1000, 1.5f),
                        scalar("Loss/test", 1000, 1.25f),
                        scalar("Accuracy/test", 1000, 0.5f),
                        scalar("accuracy", 7, 0.1f),
                        scalar("grad_norm", 1000, 9)));
        write("b", List.of(scalar("nll", 5, 1)));
        write("empty", List.of(scalar("lr", 5, 1)));
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            List<Imported> all = run(store);
            assertThat(all).extracting(Imported::job).containsExactly("old.b", "old.empty", "old.lenet.lr-0-1");
            assertThat(all).extracting(Imported::isNew).containsExactly(true, false, true);
            Imported lenet = all.getLast();
            assertThat(lenet.losses()).isEqualTo(3);
            assertThat(lenet.tests()).isEqualTo(1);
            assertThat(lenet.alone()).isEqualTo(1);
            assertThat(lenet.unknown()).containsExactly("grad_norm");
            JobState state = store.job("old.lenet.lr-0-1").orElseThrow();
            assertThat(state.status()).isEqualTo(Status.FINISHED);
            assertThat(state.step()).isEqualTo(1001);
            assertThat(state.startMillis()).isEqualTo(Math.round(START * 1e3));
            assertThat(state.lastRecordMillis()).isEqualTo(Math.round(START * 1e3) + 1_000_000);
            assertThat(state.epochs()).hasSize(1);
            assertThat(state.testAccuracy()).isEqualTo(0.5);
            assertThat(losses(store, "old.lenet.lr-0-1")).containsExactly("1=2.5", "2=2.25", "1001=1.5");
            assertThat(run(store)).extracting(Imported::isNew).containsExactly(false, false, false);
            assertThat(losses(store, "old.lenet.lr-0-1")).hasSize(3);
            assertThat(Stored.jobRecords(store, "old.b")).hasSize(2);
        }
    }

    private static List<String> losses(TrackingStore store, String job) throws IOException {
        List<String> losses = new ArrayList<>();
        store.eachLoss(job, span -> {
            for (int i = 0; i < span.losses().length; i++) {
                losses.add(span.firstStep() + i + "=" + span.losses()[i]);
            }
        });
        return losses;
    }

    /// Both assign numbers to jobs, and neither sees the other's cache.
    @ParameterizedTest
    @EnumSource
    void aDashboardMayWriteToTheSameStore(Databases kind) throws IOException {
        write("b", List.of(scalar("nll", 5, 1)));
        write("c", List.of(scalar("nll", 5, 2)));
        Partition partition = new Partition("jobs", 0);
        String url = kind.empty();
        try (TrackingStore dashboard = TrackingStore.open(url);
                TrackingStore other = TrackingStore.open(url)) {
            dashboard.take(List.of(new EventRecord(SampleEvents.claimed("x"), 1000)), Map.of(partition, 1L));
            run(other);
            dashboard.take(List.of(new EventRecord(SampleEvents.claimed("y"), 2000)), Map.of(partition, 2L));
            dashboard.take(List.of(new EventRecord(SampleEvents.failed("x", 1, "why"), 3000)), Map.of(partition, 3L));
            assertThat(dashboard.job("x").orElseThrow().status()).isEqualTo(Status.FAILED);
            assertThat(other.job("y").orElseThrow().status()).isEqualTo(Status.RUNNING);
            assertThat(losses(dashboard, "old.b")).containsExactly("5=1.0");
            assertThat(losses(dashboard, "old.c")).containsExactly("5=2.0");
        }
        try (TrackingStore again = TrackingStore.open(url)) {
            again.take(List.of(new EventRecord(SampleEvents.claimed("z"), 4000)), Map.of(partition, 4L));
            assertThat(losses(again, "old.b")).containsExactly("5=1.0");
            assertThat(again.job("z").orElseThrow().status()).isEqualTo(Status.RUNNING);
        }
    }

    /// Regression networks have no accuracy, and some users log only losses.
    @Test
    void testsNeedNoAccuracy() throws IOException {
        write(
                "a",
                List.of(
                        scalar("loss", 10, 4),
                        scalar("test_loss", 10, 3),
                        scalar("test_mean_absolute_error", 10, 1.5f),
                        scalar("test_loss", 20, 2)));
        try (TrackingStore store = TrackingStore.open(Databases.SQLITE.empty())) {
            assertThat(run(store)).extracting(Imported::tests, Imported::alone).containsExactly(tuple(2, 0));
            assertThat(store.job("old.a").orElseThrow().epochs())
                    .extracting(Epoch::testLoss, Epoch::testAccuracy, Epoch::testMeanAbsoluteError)
                    .containsExactly(tuple(3.0, null, 1.5), tuple(2.0, null, null));
            assertThat(Stored.jobRecords(store, "old.a").getLast())
                    .extracting(jobRecord -> ((EventRecord) jobRecord).event())
                    .extracting(end -> ((Finished) end).bestTestAccuracy())
                    .isNull();
        }
    }

    @Test
    void readsTruncatedFilesAndRefusesDamagedOnes() throws IOException {
        Path file = write("a", List.of(scalar("loss", 1, 1), scalar("loss", 2, 2)));
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length - 3));
        try (TrackingStore store = TrackingStore.open(Databases.SQLITE.empty())) {
            assertThat(run(store)).extracting(Imported::losses).containsExactly(1L);
            whole[20] ^= 1;
            Files.write(file, whole);
            assertThatThrownBy(() -> run(store))
                    .isInstanceOf(ExportException.class)
                    .hasMessageContaining("is damaged, or no event file: the record at byte 0");
            Files.delete(file);
            assertThatThrownBy(() -> run(store)).hasMessageContaining("there are no event files of TensorBoard in");
        }
    }

    /// An exported job is imported unchanged.
    @Test
    void anExportIsImportedAgain() throws IOException {
        try (TrackingStore store = TrackingStore.open(Databases.SQLITE.empty())) {
            store.take(
                    SampleEvents.whole("a").stream()
                            .map(event -> (JobRecord) new EventRecord(event, SampleEvents.TIME.toEpochMilli()))
                            .toList(),
                    Map.of());
            new JobExport(store).export(List.of("a"), ExportFormat.TENSORBOARD, folder, true, _ -> {});
            assertThat(run(store)).extracting(Imported::isNew).containsExactly(true);
            assertThat(losses(store, "old.a")).isEqualTo(losses(store, "a")).hasSize(20);
            assertThat(store.job("old.a").orElseThrow().testAccuracy()).isEqualTo(0.75);
        }
    }
}
