package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
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
                losses("job", 1, 0, 1, 2), tested("job", 1, 0, 2, 0.5), saved("job", 1, 0, 2), finished("job", 1, 2));
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
            activity.see(losses("job", 2, 0, 1, 1));
            activity.see(losses("job", 2, 0, 2, 2)); // 2 batches of 64 in 200 ms
            heartbeat.start(Duration.ofMillis(50));
            fleet.read(Topic.WORKERS, read -> read.size() >= 2);
            activity.end();
            heartbeat.close();
            List<ConsumerRecord<byte[], byte[]>> records = fleet.read(
                    Topic.WORKERS,
                    read -> !read.isEmpty() && status(read.getLast()).stopping());

            WorkerStatus first = EventJson.readStatus(records.getFirst().value());
            assertThat(first).isEqualTo(new WorkerStatus("w", "cpu", "job", 2, 640, first.memoryBytes(), false));
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
