package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.event.WorkerStatus;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class EventPublisherTest {
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @Test
    void putsEveryEventOnItsTopicUnderItsJob() throws Exception {
        List<TrainingEvent> all = List.of(
                new StepLosses("job", 1, 0, 1, new float[] {2, 1}, 5),
                new EpochTested("job", 1, 0, 2, 1, 1, 0.5, 0, 1, new double[] {0.5}, new int[][] {{1}}, 1, 1, 1),
                new CheckpointSaved("job", 1, "file:///c", "00", 1, 0, 2),
                new Finished("job", 1, 2, 0.5, 1, 1, 1, 1, "00", null));
        try (Fleet fleet = new Fleet()) {
            RecordHeaders command = new RecordHeaders();
            command.add("traceparent", TRACE.getBytes(StandardCharsets.UTF_8));
            JobEvents events = fleet.publisher("w").open(command, _ -> {});
            all.forEach(events::publish);
            var _ = Patience.get(events.acknowledged());
            for (TrainingEvent event : all) {
                ConsumerRecord<byte[], byte[]> record =
                        fleet.read(Topic.of(event), read -> !read.isEmpty()).getFirst();
                assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo("job");
                assertThat(record.value()).isEqualTo(EventJson.write(event));
                assertThat(Fleet.header(record, "ce_type")).isEqualTo(CloudEvents.type(event));
                assertThat(Fleet.header(record, "ce_source")).isEqualTo("/workers/w");
                assertThat(Fleet.header(record, "ce_specversion")).isEqualTo("1.0");
                assertThat(Fleet.header(record, "traceparent")).isEqualTo(TRACE);
                assertThat(Fleet.header(record, "content-type")).isEqualTo("application/json");
            }
        }
    }

    @Test
    void tellsHowTheWorkerIsUntilItStops() throws IOException {
        try (Fleet fleet = new Fleet()) {
            Activity activity = new Activity();
            Heartbeat heartbeat = new Heartbeat(fleet.publisher("w"), activity, "w", "cpu");
            activity.begin(JobJson.read(Fleet.job("job").getBytes(StandardCharsets.UTF_8)));
            activity.see(new StepLosses("job", 2, 0, 1, new float[] {1}, 1_000_000));
            activity.see(new StepLosses("job", 2, 0, 2, new float[] {1, 1}, 2_000_000)); // 2 batches of 64 in a second
            heartbeat.start(Duration.ofMillis(50));
            fleet.read(Topic.WORKERS, read -> read.size() >= 2);
            activity.end();
            heartbeat.close();
            List<ConsumerRecord<byte[], byte[]>> records = fleet.read(
                    Topic.WORKERS,
                    read -> !read.isEmpty() && status(read.getLast()).stopping());

            WorkerStatus first = EventJson.readStatus(records.getFirst().value());
            assertThat(first).isEqualTo(new WorkerStatus("w", "cpu", "job", 2, 128, first.memoryBytes(), false));
            assertThat(first.memoryBytes()).isGreaterThan(1 << 20);
            WorkerStatus last = EventJson.readStatus(records.getLast().value());
            assertThat(last).isEqualTo(new WorkerStatus("w", "cpu", null, null, 0, last.memoryBytes(), true));
            assertThat(new String(records.getLast().key(), StandardCharsets.UTF_8))
                    .isEqualTo("w");
            assertThat(Fleet.header(records.getLast(), "ce_type")).isEqualTo(CloudEvents.WORKER_STATUS);
        }
    }

    private static WorkerStatus status(ConsumerRecord<byte[], byte[]> record) {
        try {
            return EventJson.readStatus(record.value());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
