package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static io.trainyard.event.SampleEvents.whole;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.trainyard.Patience;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.RunLog;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Topic;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.TrackingStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalRunsTest {
    @TempDir
    private Path folder;

    private TrackingStore store;
    private JobHistory history;
    private LocalRuns runs;

    @BeforeEach
    void open() {
        store = TrackingStore.open(Databases.SQLITE.empty());
        history = history(store);
        runs = runs();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static JobHistory history(TrackingStore store) {
        return new JobHistory(store, new SourceStatus(), new JobHistory.Limits(10, 2, 10_000, 60_000));
    }

    private static AlertWatch alerts(TrackingStore store) {
        return new AlertWatch(store, new SourceStatus(), AlertsWanted.NONE, Patience.LIMIT);
    }

    private LocalRuns runs() {
        return new LocalRuns(
                store,
                history,
                new SourceStatus(),
                new FleetCounters(new SimpleMeterRegistry()),
                alerts(store),
                Optional.of(folder));
    }

    private RunLog log(String run) {
        return new RunLog(folder.resolve(run), spec("a"), warning -> {
            throw new AssertionError(warning);
        });
    }

    private static void write(RunLog log, TrainingEvent... events) {
        for (TrainingEvent event : events) {
            log.write(event, SampleEvents.TIME);
        }
    }

    private JobSummary job(String run) {
        return history.job(run).orElseThrow().summary();
    }

    @Test
    void aRunGivesTheSameRowsAsAJobOfAWorker() throws Exception {
        try (TrackingStore fleet = TrackingStore.open(Databases.SQLITE.empty());
                RunLog log = log("a")) {
            TopicConsumer consumer = new TopicConsumer(
                    fleet,
                    history(fleet),
                    new SourceStatus(),
                    new FleetCounters(new SimpleMeterRegistry()),
                    alerts(fleet),
                    Brokers.at("nowhere:1"),
                    "t.");
            List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
            records.add(new ConsumerRecord<>(
                    Topic.CPU_COMMANDS_NORMAL.name("t."),
                    0,
                    0,
                    "a",
                    JobJson.command(spec("a")).json().toString().getBytes(UTF_8)));
            for (TrainingEvent event : whole("a")) {
                write(log, event);
                records.add(new ConsumerRecord<>(
                        Topic.of(event).name("t."), 0, records.size(), "a", SampleEvents.json(event)));
            }
            consumer.read(records);
            runs.look();
            assertThat(state(store)).isEqualTo(state(fleet));
            assertThat(store.losses("a", 1, 20, 100).orElseThrow())
                    .usingRecursiveComparison()
                    .isEqualTo(fleet.losses("a", 1, 20, 100).orElseThrow());
            assertThat(job("a").status()).isEqualTo(Status.FINISHED);
            assertThat(job("a").testAccuracy()).isEqualTo(0.75);
        }
    }

    private static ObjectNode state(TrackingStore store) {
        return new JsonMapper().valueToTree(store.job("a").orElseThrow());
    }

    @Test
    void followsARunAndContinuesAfterARestart() {
        try (RunLog log = log("a")) {
            write(log, claimed("a"), started("a", 1, 1), losses("a", 1, 0, 1, 5));
            runs.look();
            runs.look();
            assertThat(job("a").status()).isEqualTo(Status.RUNNING);
            assertThat(job("a").step()).isEqualTo(5);
            write(log, losses("a", 1, 0, 6, 5), tested("a", 1, 0, 10, 0.5));
            runs = runs();
            runs.look();
            assertThat(job("a").step()).isEqualTo(10);
            assertThat(job("a").testAccuracy()).isEqualTo(0.5);
        }
    }

    @Test
    void anInterruptedRunIsPaused() {
        try (RunLog log = log("a~2")) {
            write(log, claimed("a"), started("a", 1, 1), released("a", 1, 5, "the worker stops"));
        }
        runs.look();
        assertThat(job("a~2").status()).isEqualTo(Status.PAUSED);
        assertThat(job("a~2").reason()).isEqualTo("the worker stops; train --resume continues it");
    }

    @Test
    void aRunWhoseProcessDiedIsPausedUntilItIsResumed() {
        try (RunLog log = log("a")) {
            write(log, claimed("a"), started("a", 1, 1), losses("a", 1, 0, 1, 5));
            runs.look();
        }
        runs.look();
        assertThat(job("a").status()).isEqualTo(Status.PAUSED);
        assertThat(job("a").reason()).contains("--resume");
        try (RunLog log = log("a")) {
            write(log, claimed("a", 2), started("a", 2, 1));
            runs.look();
            assertThat(job("a").status()).isEqualTo(Status.RUNNING);
        }
        runs = runs();
        runs.look();
        runs.look();
        assertThat(job("a").status()).as("died while no dashboard ran").isEqualTo(Status.PAUSED);
    }

    @Test
    void aReplacedFileReplacesTheRun() throws IOException {
        try (RunLog log = log("a")) {
            write(log, whole("a").toArray(TrainingEvent[]::new));
        }
        runs.look();
        Path file = folder.resolve("a").resolve(RunLog.FILE);
        Files.writeString(file, "{\"time\":\"2030-01-01T00:00:00.000Z\",\"command\":{}}\n" + " ".repeat(20) + "\n");
        try (RunLog log = log("a")) {
            write(log, claimed("a"));
            runs.look();
            assertThat(job("a").status()).isEqualTo(Status.RUNNING);
        }
    }

    @Test
    void otherFilesAreNoRuns() throws IOException {
        Files.writeString(folder.resolve("tracking.db"), "");
        Files.createDirectories(folder.resolve("b/checkpoints"));
        Files.createDirectories(folder.resolve("c"));
        Files.writeString(folder.resolve("c").resolve(RunLog.FILE), "[]\n\n{\"job\":\"\0\"}\nnull\n" + "x".repeat(100));
        runs.look();
        assertThat(store.offsets()).hasSize(1);
        assertThat(history.job("c")).isEmpty();
    }
}
