package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.TIME;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.json;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.device.DeviceReading;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.RecordKey;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

@Slow
class EventPublisherTest {
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @Test
    void publishesEveryEventOnItsTopicWithItsKey() throws Exception {
        List<TrainingEvent> all = List.of(
                losses("job", 1, 0, 1, 2), tested("job", 1, 0, 2, 0.5), saved("job", 1, 0, 2), finished("job", 1, 2));
        try (Fleet fleet = new Fleet()) {
            for (TrainingEvent event : all) {
                SerializedEvent line = SerializedEvent.of(event, TIME, "w");
                var _ = Patience.get(fleet.publisher("another").publish(line, TRACE));
            }
            for (TrainingEvent event : all) {
                ConsumerRecord<byte[], byte[]> record =
                        fleet.read(Topic.of(event), read -> !read.isEmpty()).getFirst();
                assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo(RecordKey.of(event));
                assertThat(record.value()).isEqualTo(json(event));
                assertThat(Fleet.header(record, "ce_time")).isEqualTo("2026-11-22T03:04:05.678Z");
                assertThat(Fleet.header(record, "ce_type")).isEqualTo(CloudEvents.type(event));
                assertThat(Fleet.header(record, "ce_source")).isEqualTo("/workers/w");
                assertThat(Fleet.header(record, "ce_specversion")).isEqualTo("1.0");
                assertThat(Fleet.header(record, "traceparent")).isEqualTo(TRACE);
                assertThat(Fleet.header(record, "content-type")).isEqualTo("application/json");
            }
        }
    }

    @Test
    void publishesHeartbeatsUntilTheWorkerStops() throws IOException {
        try (Fleet fleet = new Fleet()) {
            Activity activity = new Activity();
            WorkerStatus.Reading expected =
                    new WorkerStatus.Reading("cuda:0", 0.93, 1L << 30, 80L << 30, 251.5, null, 61.0);
            DeviceReading reading = new DeviceReading("cuda:0", 0.93, 1L << 30, 80L << 30, 251.5, null, 61.0);
            Heartbeat.Self self = new Heartbeat.Self(
                    "w", "cpu", "store", () -> TIME, "1.0", 2, 3, () -> null, () -> List.of(reading), activity);
            Heartbeat heartbeat = new Heartbeat(
                    new SystemHost(),
                    fleet.publisher("w"),
                    new ClaimGate(ClaimGate.Rules.of(Fleet.BEAT, Patience.LIMIT)),
                    self);
            Activity.RunningAttempt job =
                    activity.of(JobJson.read(Fleet.job("job").getBytes(StandardCharsets.UTF_8)), 2);
            job.begin();
            job.see(SerializedEvent.of(losses("job", 2, 0, 1, 1), TIME, "w"));
            job.checkpointFailed();
            job.see(SerializedEvent.of(losses("job", 2, 0, 2, 2), TIME, "w")); // 2 batches of 64 in 200 ms
            WorkerStatus.Fetching fetching = new WorkerStatus.Fetching("letters", 1, 2);
            job.fetches(fetching);
            heartbeat.start(Duration.ofMillis(50));
            fleet.read(Topic.WORKERS, read -> read.size() >= 2);
            job.end();
            heartbeat.close();
            List<ConsumerRecord<byte[], byte[]>> records = fleet.read(
                    Topic.WORKERS,
                    read -> !read.isEmpty() && status(read.getLast()).stopping());

            WorkerStatus first = EventJson.readStatus(records.getFirst().value());
            assertThat(first)
                    .isEqualTo(WorkerStatusBuilder.of("w", "cpu")
                            .jobs(List.of(new WorkerStatus.Job("job", 2, 640)))
                            .samplesPerSecond(640)
                            .memoryBytes(first.memoryBytes())
                            .checkpointFailures(1)
                            .store("store")
                            .since(TIME)
                            .fetching(fetching)
                            .version("1.0")
                            .schemaVersion(2)
                            .readings(List.of(expected))
                            .slots(3)
                            .build());
            assertThat(first.memoryBytes()).isGreaterThan(1 << 20);
            WorkerStatus last = EventJson.readStatus(records.getLast().value());
            assertThat(last)
                    .isEqualTo(WorkerStatusBuilder.of("w", "cpu")
                            .memoryBytes(last.memoryBytes())
                            .checkpointFailures(1)
                            .stopping(true)
                            .store("store")
                            .since(TIME)
                            .version("1.0")
                            .schemaVersion(2)
                            .readings(List.of(expected))
                            .slots(3)
                            .build());
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
