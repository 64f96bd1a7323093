package io.trainyard.export;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finishedWithTest;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static io.trainyard.event.SampleEvents.validated;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.TrackingStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tensorflow.util.Event;

class LiveTensorBoardExporterTest {
    @TempDir
    private Path folder;

    private static void publish(TrackingStore store, TrainingEvent... events) {
        List<JobRecord> jobRecords = new ArrayList<>();
        for (TrainingEvent event : events) {
            jobRecords.add(new EventRecord(event, SampleEvents.TIME.toEpochMilli()));
        }
        store.take(jobRecords, Map.of());
    }

    private Path file() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("a"))) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            return all.getFirst();
        }
    }

    private List<Long> steps(String tag) throws IOException {
        return TensorFlowRecords.read(file()).stream()
                .filter(event -> event.getSummary().getValueList().stream()
                        .anyMatch(value -> value.getTag().equals(tag)))
                .map(Event::getStep)
                .toList();
    }

    /// The process is killed at any byte, and another one continues.
    @Test
    void writesEachStepOnceAcrossRestarts() throws IOException {
        Random random = new Random(7);
        try (TrackingStore store = TrackingStore.open(Databases.SQLITE.empty())) {
            publish(store, claimed("a"), started("a", 1, 1));
            LiveTensorBoardExporter sink = new LiveTensorBoardExporter(store, folder);
            for (int first = 1; first <= 3000; first += 100) {
                publish(store, losses("a", 1, 0, first, 100));
                if (first % 1000 == 901) {
                    publish(store, tested("a", 1, first / 1000, first + 99, 0.5));
                }
                sink.append("a");
                if (random.nextInt(3) == 0) {
                    Path file = file();
                    byte[] bytes = Files.readAllBytes(file);
                    Files.write(file, Arrays.copyOf(bytes, bytes.length - random.nextInt(bytes.length / 2)));
                    sink = new LiveTensorBoardExporter(store, folder);
                }
            }
            sink.append("a");
            sink.append("a");
            assertThat(steps("train_loss"))
                    .isEqualTo(LongStream.rangeClosed(1, 3000).boxed().toList());
            assertThat(steps("test_accuracy")).containsExactly(1000L, 2000L, 3000L);
            assertThat(steps("test_loss")).containsExactly(1000L, 2000L, 3000L);
            assertThat(TensorFlowRecords.read(file()).getFirst().getFileVersion())
                    .isEqualTo("brain.Event:2");
        }
    }

    /// The test of the test part has the step of its weights, which is that of an earlier validation.
    @Test
    void writesTheTestOfTheTestPartOnce() throws IOException {
        try (TrackingStore store = TrackingStore.open(Databases.SQLITE.empty())) {
            publish(store, claimed("a"), started("a", 1, 1), losses("a", 1, 0, 1, 20));
            publish(store, validated("a", 0, 10, 0.9), validated("a", 1, 20, 0.5));
            new LiveTensorBoardExporter(store, folder).append("a");
            publish(store, finishedWithTest("a", 20, 0, 10, 0.8));
            new LiveTensorBoardExporter(store, folder).append("a");
            new LiveTensorBoardExporter(store, folder).append("a");
            assertThat(steps("validation_loss")).containsExactly(10L, 20L);
            assertThat(steps("validation_accuracy")).containsExactly(10L, 20L);
            assertThat(steps("test_loss")).containsExactly(10L);
            assertThat(steps("test_accuracy")).containsExactly(10L);
        }
    }

    @Test
    void keepsTheFirstOfRepublishedSteps() throws IOException {
        try (TrackingStore store = TrackingStore.open(Databases.SQLITE.empty())) {
            publish(store, claimed("a"), started("a", 1, 1), losses("a", 1, 0, 1, 10));
            LiveTensorBoardExporter sink = new LiveTensorBoardExporter(store, folder);
            sink.append("a");
            publish(store, claimed("a", 2), started("a", 2, 6), losses("a", 2, 0, 6, 10));
            sink.append("a");
            sink.append("nobody");
            assertThat(steps("train_loss"))
                    .isEqualTo(LongStream.rangeClosed(1, 15).boxed().toList());
        }
    }
}
