package io.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.share.ProjectRow;
import io.trainyard.share.ProjectRule;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The output of `projects`.
class ProjectRowsTest {
    private static final long NOW = 1_750_000_000_000L;

    private static JobState job(String id, String project, String devices) {
        JobSpec spec = JobJson.read("""
                {"id": "%s", "network": "lenet", "dataset": "cifar10", "epochs": 1, "project": "%s", "devices": %s}""".formatted(id, project, devices).getBytes(StandardCharsets.UTF_8));
        JobState state = new JobState(id);
        state.apply(new Requested(id, spec, "commands.normal-0 at offset 1", NOW - 9_000_000));
        return state;
    }

    private static JobState running(JobState job, String device, long sinceSeconds) {
        job.apply(new EventRecord(new Claimed(job.job(), 1, "w1", device), NOW - 1000 * sinceSeconds));
        job.apply(new EventRecord(SampleEvents.losses(job.job(), 1, 0, 1, 10), NOW));
        return job;
    }

    @Test
    void shareAndUseAreOfTheLastWindow() {
        ProjectRules rules = new ProjectRules(
                Duration.ofHours(1),
                ProjectRule.PLAIN,
                Map.of("vision", new ProjectRule(3, 8, 100), "idle", new ProjectRule(0.5, null, null)));
        List<ProjectRow> rows = ProjectRows.of(
                rules,
                List.of(
                        running(job("v-1", "vision", "null"), "cuda:0", 7200),
                        job("v-2", "vision", "null"),
                        running(job("s-1", "speech", "[\"cuda:0\", \"cuda:1\"]"), "cuda:0+cuda:1", 600)),
                NOW);
        assertThat(rows.stream().map(ProjectRows::cells))
                .containsExactly(
                        List.of("idle", "0.5", "-", "0.0 %", "0", "any", "0", "any"),
                        List.of("speech", "1", "25.0 %", "25.0 %", "1", "any", "0", "any"),
                        List.of("vision", "3", "75.0 %", "75.0 %", "1", "8", "1", "100"));
    }
}
