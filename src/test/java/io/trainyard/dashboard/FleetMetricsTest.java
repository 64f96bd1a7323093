package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.cancelled;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.paused;
import static io.trainyard.event.SampleEvents.preempted;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.resumed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.trainyard.Patience;
import io.trainyard.event.EventJson;
import io.trainyard.event.FailureCause;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.metrics.Scrape;
import io.trainyard.share.ProjectRule;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.TrackingStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The dashboard's Prometheus metrics, from the records that it reads.
class FleetMetricsTest {
    private static final String PREFIX = "t.";
    private static final ProjectRules RULES =
            new ProjectRules(Duration.ofHours(1), ProjectRule.PLAIN, Map.of("vision", new ProjectRule(3, 8, null)));

    private final String database = Databases.SQLITE.empty();
    private final Map<Topic, Long> offsets = new EnumMap<>(Topic.class);
    private Dashboard dashboard = new Dashboard();

    /// One process of the dashboard.
    private final class Dashboard {
        final TrackingStore store = TrackingStore.open(database);
        final SourceStatus sources = new SourceStatus();
        final JobHistory history = new JobHistory(store, sources, new JobHistory.Limits(10, 10, 10_000, 3_600_000));
        final PrometheusMeterRegistry registry = Scrape.registry();
        final FleetCounters counters = new FleetCounters(registry);
        final TopicConsumer consumer = new TopicConsumer(
                store,
                history,
                sources,
                counters,
                new AlertWatch(store, sources, AlertsWanted.NONE, Patience.LIMIT),
                Brokers.at("nowhere:1"),
                PREFIX);
        final FleetGauges gauges =
                new FleetGauges(registry, history, sources, new ProjectQuotas(history, RULES), PREFIX);

        Scrape scrape() {
            gauges.look();
            return Scrape.of(registry);
        }
    }

    @AfterEach
    void close() {
        dashboard.store.close();
    }

    private void restart() {
        dashboard.store.close();
        dashboard = new Dashboard();
    }

    private double value(String series) {
        return dashboard.scrape().value(series);
    }

    private void read(Topic topic, String key, byte @Nullable [] body, long millis) throws Exception {
        String name = topic.name(PREFIX);
        long offset = offsets.merge(topic, 1L, Long::sum) - 1;
        ConsumerRecord<String, byte[]> entry = new ConsumerRecord<>(
                name,
                0,
                offset,
                millis,
                TimestampType.CREATE_TIME,
                0,
                0,
                key,
                body,
                new RecordHeaders(),
                Optional.empty());
        if (topic == Topic.DEAD_LETTER) {
            entry.headers().add(DeadLetter.REASON, "why".getBytes(StandardCharsets.UTF_8));
        }
        dashboard.consumer.read(List.of(entry));
    }

    private void submit(Topic topic, String job, String device) throws Exception {
        byte[] command = """
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 1, "device": "%s"}""".formatted(job, device).getBytes(StandardCharsets.UTF_8);
        assertThat(JobJson.read(command).id()).isEqualTo(job);
        read(topic, job, command, System.currentTimeMillis());
    }

    private void submitOf(String project, String job) throws Exception {
        byte[] command = """
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 1, "project": "%s"}""".formatted(job, project).getBytes(StandardCharsets.UTF_8);
        read(Topic.COMMANDS_NORMAL, job, command, System.currentTimeMillis());
    }

    private void publishAgo(Duration ago, TrainingEvent event) throws Exception {
        Instant then = Instant.now().minus(ago);
        read(Topic.of(event), event.job(), EventJson.write(event, then), then.toEpochMilli());
    }

    private void publish(TrainingEvent... events) throws Exception {
        for (TrainingEvent event : events) {
            read(Topic.of(event), event.job(), SampleEvents.json(event), System.currentTimeMillis());
        }
    }

    private void beat(WorkerStatus status, long millis) throws Exception {
        read(Topic.WORKERS, status.worker(), EventJson.write(status), millis);
    }

    private static WorkerStatus worker(
            String id, String device, @Nullable String job, int failures, @Nullable String problem) {
        return WorkerStatusBuilder.of(id, device)
                .job(job, 1)
                .samplesPerSecond(job == null ? 0 : 500)
                .checkpointFailures(failures)
                .problem(problem)
                .build();
    }

    @Test
    void publishesAllMetricsFromTheStart() {
        assertThat(Scrape.of(dashboard.registry).lines())
                .as("an autoscaler that finds 0 takes all workers away")
                .noneMatch(line -> line.startsWith("trainyard_jobs_demand"));
        dashboard.scrape().requireAll(false);
        assertThat(value("trainyard_jobs_failed_total{cause=\"lacking\",}")).isZero();
        assertThat(value("trainyard_jobs_demand{kind=\"cuda\",}")).isZero();
    }

    @Test
    void countsJobsByWhereTheyWaitAndWhatTheyWant() throws Exception {
        submit(Topic.COMMANDS_HIGH, "a", "auto");
        submit(Topic.COMMANDS_LOW, "b", "auto");
        submit(Topic.CUDA_COMMANDS_NORMAL, "c", "cuda:1");
        submit(Topic.CUDA_COMMANDS_NORMAL, "d", "cuda");
        submit(Topic.CPU_COMMANDS_NORMAL, "e", "cpu");
        assertThat(value("trainyard_jobs_queued{kind=\"auto\",priority=\"high\",}"))
                .isOne();
        assertThat(value("trainyard_jobs_queued{kind=\"auto\",priority=\"low\",}"))
                .isOne();
        assertThat(value("trainyard_jobs_queued{kind=\"cuda\",priority=\"normal\",}"))
                .isEqualTo(2);
        submit(Topic.COMMANDS_HIGH, "b", "auto"); // as reprioritized
        assertThat(value("trainyard_jobs_queued{kind=\"auto\",priority=\"high\",}"))
                .isEqualTo(2);

        publish(claimed("c"), claimed("e"), paused("e", 1, 10));
        for (int processes = 0; processes < 2; processes++) {
            assertThat(value("trainyard_jobs_queued{kind=\"cuda\",priority=\"normal\",}"))
                    .isOne();
            assertThat(value("trainyard_jobs_running{kind=\"cuda\",}")).isOne();
            assertThat(value("trainyard_jobs_demand{kind=\"cuda\",}")).isEqualTo(2);
            assertThat(value("trainyard_jobs_demand{kind=\"auto\",}")).isEqualTo(2);
            assertThat(value("trainyard_jobs_paused{kind=\"cpu\",}")).isOne();
            assertThat(value("trainyard_jobs_demand{kind=\"cpu\",}")).isZero();
            restart();
        }
        publish(finished("c", 1, 10));
        assertThat(value("trainyard_jobs_demand{kind=\"cuda\",}")).isOne();
    }

    /// Projects that are not in the file are summed, because anyone can invent a project.
    @Test
    void publishesTheUseOfProjects() throws Exception {
        submitOf("vision", "a");
        submitOf("vision", "b");
        submitOf("speech", "c");
        submitOf("text", "d");
        publishAgo(Duration.ofMinutes(45), claimed("a"));
        publishAgo(Duration.ofMinutes(15), losses("a", 1, 0, 1, 10));
        publishAgo(Duration.ofHours(3), claimed("c"));
        publishAgo(Duration.ofMinutes(50), finished("c", 1, 10)); // ten of these minutes are within the last hour
        assertThat(value("trainyard_project_jobs_running{project=\"vision\",}")).isOne();
        assertThat(value("trainyard_project_jobs_waiting{project=\"vision\",}")).isOne();
        assertThat(value("trainyard_project_share_ratio{project=\"vision\",}")).isEqualTo(0.75);
        assertThat(value("trainyard_project_used_ratio{project=\"vision\",}")).isCloseTo(0.75, within(0.01));
        assertThat(value("trainyard_project_jobs_running{project=\"_others\",}"))
                .isZero();
        assertThat(value("trainyard_project_jobs_waiting{project=\"_others\",}"))
                .isOne();
        assertThat(value("trainyard_project_share_ratio{project=\"_others\",}")).isEqualTo(0.25);
        assertThat(value("trainyard_project_used_ratio{project=\"_others\",}")).isCloseTo(0.25, within(0.01));
    }

    @Test
    void countsEachEndOnce() throws Exception {
        publish(claimed("a"), finished("a", 1, 10), finished("a", 1, 10));
        publish(claimed("b"), failed("b", 1, "why", FailureCause.DIVERGED));
        publish(new TrainingEvent.Failed("c", 1, "of a version to come", "cosmic rays"));
        publish(new TrainingEvent.Failed("d", 1, "of a version before", null));
        publish(claimed("e"), cancelled("e", 1, 3));
        assertThat(value("trainyard_jobs_finished_total")).isOne();
        assertThat(value("trainyard_jobs_failed_total{cause=\"diverged\",}")).isOne();
        assertThat(value("trainyard_jobs_failed_total{cause=\"other\",}")).isEqualTo(2);
        assertThat(value("trainyard_jobs_cancelled_total")).isOne();

        restart();
        publish(finished("a", 1, 10), claimed("f"), finished("f", 1, 10));
        assertThat(value("trainyard_jobs_finished_total"))
                .as("since the start of the process; republished events are not counted again")
                .isOne();
    }

    @Test
    void publishesTheReasonsOfAttempts() throws Exception {
        publish(claimed("a"), claimed("a", 2), claimed("a", 2)); // the first attempt stopped sending records
        publish(claimed("b"), released("b", 1, 10, "the worker stops"), claimed("b", 2));
        publish(claimed("c"), paused("c", 1, 10), resumed("c", 1), claimed("c", 2));
        publish(claimed("b"), preempted("b", 2, 20, "urgent"), preempted("b", 2, 20, "urgent"));
        assertThat(value("trainyard_preemptions_total")).isOne();
        assertThat(value("trainyard_attempts_total{after=\"command\",}")).isEqualTo(3);
        assertThat(value("trainyard_attempts_total{after=\"loss\",}")).isOne();
        assertThat(value("trainyard_attempts_total{after=\"release\",}")).isOne();
        assertThat(value("trainyard_attempts_total{after=\"pause\",}")).isOne();
    }

    @Test
    void countsDeadLettersWithAnyContent() throws Exception {
        read(Topic.DEAD_LETTER, "a", "{".getBytes(StandardCharsets.UTF_8), 1);
        read(Topic.DEAD_LETTER, "", "{".getBytes(StandardCharsets.UTF_8), 1);
        assertThat(value("trainyard_dead_letters_total")).isEqualTo(2);
        assertThat(value("trainyard_jobs_queued{kind=\"auto\",priority=\"unknown\",}"))
                .isZero();
    }

    @Test
    void publishesWorkersByState() throws Exception {
        long now = System.currentTimeMillis();
        beat(worker("w1", "cpu", "a", 0, null), now);
        beat(worker("w2", "cpu", "b", 0, null), now);
        beat(worker("w3", "cuda:1", null, 0, null), now);
        beat(worker("w4", "cuda:0", null, 0, "the store cannot be used"), now);
        beat(worker("w5", "cuda:0", "c", 0, null), now - 60_000);
        assertThat(value("trainyard_workers{kind=\"cpu\",state=\"busy\",}")).isEqualTo(2);
        assertThat(value("trainyard_workers{kind=\"cuda\",state=\"idle\",}")).isOne();
        assertThat(value("trainyard_workers{kind=\"cuda\",state=\"refusing\",}"))
                .isOne();
        assertThat(value("trainyard_workers{kind=\"cuda\",state=\"lost\",}")).isOne();
        assertThat(value("trainyard_samples_per_second{kind=\"cpu\",}")).isEqualTo(1000);
        assertThat(value("trainyard_samples_per_second{kind=\"cuda\",}")).isZero();
    }

    @Test
    void countsCheckpointsThatFailSinceItBegan() throws Exception {
        long now = System.currentTimeMillis();
        beat(worker("w", "cpu", "a", 2, null), now - 60_000); // before the dashboard started
        beat(worker("w", "cpu", "a", 3, null), now - 30_000);
        assertThat(value("trainyard_checkpoint_failures_total")).isZero();
        beat(worker("w", "cpu", "a", 5, null), now + 1);
        assertThat(value("trainyard_checkpoint_failures_total")).isEqualTo(2);
        beat(worker("w", "cpu", "a", 1, null), now + 2); // another process
        assertThat(value("trainyard_checkpoint_failures_total")).isEqualTo(3);
    }

    @Test
    void publishesItsLagAndUnreachableSources() {
        dashboard.sources.behind(2500);
        dashboard.sources.behindRecords(17);
        dashboard.sources.kafka(false);
        assertThat(value("trainyard_event_lag_seconds")).isEqualTo(2.5);
        assertThat(value("trainyard_event_lag_records")).isEqualTo(17);
        assertThat(value("trainyard_source_up{source=\"kafka\",}")).isZero();
        assertThat(value("trainyard_source_up{source=\"store\",}")).isOne();
    }

    @Test
    void measuresWhatHappenedSinceItBeganAndNothingFromBefore() {
        long now = System.currentTimeMillis();
        dashboard.counters.taken(
                List.of(
                        new EventRecord(losses("a", 1, 0, 1, 10), now + 2_000),
                        new EventRecord(claimed("a"), now + 500), // topics are read in parallel
                        new EventRecord(losses("a", 1, 0, 11, 10), now + 3_000),
                        new EventRecord(claimed("old"), now - 60_000),
                        new EventRecord(losses("old", 1, 0, 1, 10), now - 50_000)),
                List.of(),
                0);
        assertThat(value("trainyard_claim_to_first_step_seconds_count")).isOne();
        assertThat(value("trainyard_claim_to_first_step_seconds_sum")).isEqualTo(1.5);
        assertThat(value("trainyard_step_to_event_seconds_count")).isEqualTo(2);
    }
}
