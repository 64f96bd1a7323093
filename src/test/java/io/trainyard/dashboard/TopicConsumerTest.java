package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.trainyard.Patience;
import io.trainyard.event.JobState;
import io.trainyard.event.SampleEvents;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Topic;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.MetricPoints;
import io.trainyard.tracking.TrackingStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TopicConsumerTest {
    /// Two job ids that differ only in characters that a database cannot store, so it refuses the second one.
    @ParameterizedTest
    @EnumSource
    @Timeout(60)
    void aRecordThatTheStoreRefusesAffectsNoOthers(Databases kind) throws Exception {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            JobHistory history =
                    new JobHistory(store, new SourceStatus(), new JobHistory.Limits(10, 2, 10_000, 60_000));
            SourceStatus sources = new SourceStatus();
            AlertWatch alerts = new AlertWatch(store, sources, AlertsWanted.NONE, Patience.LIMIT);
            TopicConsumer consumer = new TopicConsumer(
                    store,
                    history,
                    sources,
                    new FleetCounters(new SimpleMeterRegistry()),
                    alerts,
                    Brokers.at("nowhere:1"),
                    "t.");
            TopicPartition partition = new TopicPartition(Topic.JOBS.name("t."), 0);
            List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
            for (String job : List.of("a\0", "a\uFFFD", "good")) {
                records.add(new ConsumerRecord<>(
                        partition.topic(),
                        partition.partition(),
                        records.size(),
                        job,
                        SampleEvents.json(claimed(job))));
            }
            consumer.read(records);
            assertThat(history.job("good")).isPresent();
            assertThat(store.offsets().values()).containsExactly(3L);
            consumer.read(records);
            assertThat(store.offsets().values())
                    .as("offsets after repeated records")
                    .containsExactly(3L);

            List<ConsumerRecord<String, byte[]>> metrics = new ArrayList<>();
            for (String values : List.of(
                    "{\"job\": \"good\", \"step\": 1, \"values\": {\"f1\": 0.5}}",
                    "{\"job\": \"good\", \"step\": 2, \"values\": {\"f1\": \"NaN\"}}",
                    "{\"job\": \"good\", \"values\": {\"f1\": 0.5}}",
                    "{\"job\": \"good\", \"step\": 3, \"values\": {\"../f1\": 0.5}}",
                    "{\"type\": \"finished\", \"job\": \"good\", \"attempt\": 1, \"step\": 4, \"steps\": 4, \"values\": {\"f1\": 1}}",
                    "{\"job\": \"good\", \"step\": 5, \"values\": {\"f1\": 1}}" + " ".repeat(1 << 16),
                    "[]")) {
                metrics.add(new ConsumerRecord<>(
                        Topic.METRICS.name("t."), 0, metrics.size(), "good", values.getBytes(StandardCharsets.UTF_8)));
            }
            long version = history.since(0).version();
            consumer.read(metrics);
            assertThat(store.metrics("good", 10).orElseThrow().getFirst().points())
                    .extracting(MetricPoints.Point::step)
                    .containsExactly(1L, 4L);
            assertThat(history.job("good").orElseThrow().summary().status())
                    .as("metrics do not change a job")
                    .isEqualTo(JobState.Status.RUNNING);
            assertThat(history.since(version).jobs())
                    .as("readers learn of metrics")
                    .extracting(JobSummary::job)
                    .containsExactly("good");
        }
    }
}
