package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.WorkerStatus;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.tracking.JobSummary;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WaitingTest {
    private static WorkerView worker(String device, @Nullable String job, @Nullable String problem) {
        return WorkerView.of(
                new WorkerStatus(
                        "w-" + device,
                        device,
                        job,
                        job == null ? null : 1,
                        0,
                        1,
                        0,
                        false,
                        null,
                        null,
                        problem,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null),
                1,
                false);
    }

    private static JobSummary queued(String device) {
        JobSpec spec = JobJson.read("""
            {"id": "a", "network": "lenet", "dataset": "shapes32", "epochs": 1, "device": "%s"}""".formatted(device).getBytes(StandardCharsets.UTF_8));
        JobState state = new JobState("a");
        state.apply(new Requested("a", spec, "here", 1));
        return JobSummary.of(state);
    }

    private static String reason(String device, WorkerView... workers) {
        return Waiting.reason(queued(device), List.of(workers)).orElseThrow();
    }

    @Test
    void saysWhy() {
        assertThat(reason("auto")).isEqualTo("no worker is there");
        assertThat(reason("cuda", worker("cpu", null, null))).isEqualTo("no worker is there whose device is cuda");
        assertThat(reason("cuda", worker("cuda:0", "b", null))).isEqualTo("the one worker is busy");
        assertThat(reason("auto", worker("cuda:0", "b", null), worker("cpu", "c", null)))
                .isEqualTo("all 2 workers are busy");
        assertThat(reason("cpu", worker("cpu", null, null))).isEqualTo("a worker takes it in a moment");
        assertThat(reason("auto", worker("cuda:0", "b", null), worker("cpu", null, "the store is full")))
                .isEqualTo("1 of 2 workers are busy, and w-cpu takes no jobs: the store is full");
    }

    @Test
    void aJobThatRunsDoesNotWait() {
        JobState state = new JobState("a");
        state.apply(new Happened(SampleEvents.claimed("a"), 1));
        assertThat(Waiting.reason(JobSummary.of(state), List.of())).isEmpty();
    }

    @Test
    void whatIsSaidByKindIsWhatIsSaidOfAJob() {
        List<WorkerView> workers = List.of(worker("cuda:0", "b", null), worker("cpu", null, null));
        Waiting.byKind(workers)
                .forEach((kind, reason) ->
                        assertThat(Waiting.reason(queued(kind), workers)).contains(reason));
    }
}
