package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.TrackingStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WaitingJobsTest {
    private final TrackingStore store = TrackingStore.open(Databases.SQLITE.empty());

    @AfterEach
    void close() {
        store.close();
    }

    private static WorkerStatus worker(String device, @Nullable String job, @Nullable String problem) {
        return WorkerStatusBuilder.of("w-" + device, device)
                .job(job, 1)
                .problem(problem)
                .build();
    }

    private static JobSummary queued(String device) {
        JobSpec spec = JobJson.read("""
            {"id": "a", "network": "lenet", "dataset": "shapes32", "epochs": 1, "device": "%s"}""".formatted(device).getBytes(StandardCharsets.UTF_8));
        JobState state = new JobState("a");
        state.apply(new Requested("a", spec, "here", 1));
        return JobSummary.of(state);
    }

    private String reason(String device, WorkerStatus... workers) {
        return Objects.requireNonNull(new WaitingJobs(store).reason(queued(device), List.of(workers)));
    }

    @Test
    void reportsWhyAJobWaits() {
        assertThat(reason("auto")).isEqualTo("there is no worker");
        assertThat(reason("cuda", worker("cpu", null, null))).isEqualTo("no worker has the device kind cuda");
        assertThat(reason("cuda", worker("cuda:0", "b", null))).isEqualTo("the one worker is busy");
        assertThat(reason("auto", worker("cuda:0", "b", null), worker("cpu", "c", null)))
                .isEqualTo("all 2 workers are busy");
        assertThat(reason("cpu", worker("cpu", null, null))).isEqualTo("a worker is about to claim it");
        assertThat(reason("auto", worker("cuda:0", "b", null), worker("cpu", null, "the store is full")))
                .isEqualTo("1 of 2 workers are busy, and w-cpu claims no jobs: the store is full");
    }

    @Test
    void aJobThatRunsDoesNotWait() {
        JobState state = new JobState("a");
        state.apply(new EventRecord(SampleEvents.claimed("a"), 1));
        assertThat(new WaitingJobs(store).reason(JobSummary.of(state), List.of()))
                .isNull();
    }

    @Test
    void reasonsByKindEqualThoseOfJobs() {
        List<WorkerStatus> workers = List.of(worker("cuda:0", "b", null), worker("cpu", null, null));
        WaitingJobs.byKind(workers)
                .forEach((kind, reason) -> assertThat(new WaitingJobs(store).reason(queued(kind), workers))
                        .isEqualTo(reason));
    }

    @Test
    void forecastsAreKnownAfterTheFirstComputation() {
        JobSummary job = queued("cpu");
        WaitingJobs waiting = new WaitingJobs(store);
        waiting.take(List.of(job));
        assertThat(waiting.forecast(job)).isNull();
        assertThat(waiting.look(List.of(worker("cpu", "b", null)), ProjectRules.NONE, 1_000_000))
                .isTrue();
        var forecast = Objects.requireNonNull(waiting.forecast(job));
        assertThat(forecast.place()).isEqualTo(1);
        assertThat(forecast.reason()).isEqualTo("allBusy");
        var start = Objects.requireNonNull(forecast.start());
        assertThat(start.lowMillis()).isBetween(1_000_000L, start.medianMillis());
        assertThat(waiting.first(10)).containsOnlyKeys("a");
        waiting.forget(List.of("a"));
        assertThat(waiting.look(List.of(), ProjectRules.NONE, 1_000_001)).isTrue(); // the page must be updated
        assertThat(waiting.forecast(job)).isNull();
        assertThat(waiting.look(List.of(), ProjectRules.NONE, 1_000_002)).isFalse();
    }

    @Test
    void afterAStartTheJobsOfTheStoreWait() {
        JobSpec spec = SampleEvents.spec("a");
        store.take(List.of(new Requested("a", spec, "trainyard.commands.high-0 at offset 3", 5)), Map.of());
        WaitingJobs waiting = new WaitingJobs(store);
        assertThat(waiting.look(List.of(), ProjectRules.NONE, 1_000)).isTrue();
        assertThat(waiting.first(10)).hasEntrySatisfying("a", forecast -> {
            assertThat(forecast.reason()).isEqualTo("noWorker");
            assertThat(forecast.start()).isNull();
        });
    }
}
