package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.share.ProjectRule;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.tracking.Databases;
import io.trainyard.tracking.TrackingStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The number of jobs of a project that may wait, in the dashboard.
class ProjectQuotasTest {
    private static final ProjectRules RULES = new ProjectRules(
            Duration.ofHours(1),
            new ProjectRule(1, null, 1),
            Map.of("vision", new ProjectRule(1, null, 3), "free", ProjectRule.PLAIN));

    private final TrackingStore store = TrackingStore.open(Databases.SQLITE.empty());
    private final JobHistory history =
            new JobHistory(store, new SourceStatus(), new JobHistory.Limits(100, 2, 10_000, 60_000));
    private final ProjectQuotas quotas = new ProjectQuotas(history, RULES);

    @AfterEach
    void close() {
        store.close();
    }

    private static JobSpec job(String id, String project) {
        return JobJson.read("""
                {"id": "%s", "network": "lenet", "dataset": "cifar10", "epochs": 1, "project": "%s"}""".formatted(id, project).getBytes(StandardCharsets.UTF_8));
    }

    private void apply(JobRecord jobRecord) {
        history.apply(List.of(jobRecord), Map.of());
    }

    private void submit(String id, String project) {
        apply(new Requested(id, job(id, project), "commands.normal-0 at offset 1", 1_750_000_000_000L));
    }

    @Test
    void onlyJobsOfTheProjectThatWaitCount() {
        submit("v-1", "vision");
        submit("v-2", "vision");
        submit("v-3", "vision");
        submit("f-1", "free");
        apply(new EventRecord(claimed("v-1", 1), 1_750_000_000_001L));
        assertThat(quotas.refusal(List.of(job("v-4", "vision")))).isEmpty();
        assertThat(quotas.refusal(List.of(job("v-4", "vision"), job("v-5", "vision"))))
                .contains(
                        "project vision has 2 jobs waiting, and with 2 more it would have 4; allowed is up to 3. Wait until some have started, or cancel some");
        assertThat(quotas.refusal(List.of(job("f-2", "free"), job("f-3", "free"))))
                .isEmpty();
    }

    @Test
    void jobsWithoutAProjectAreOneToo() {
        assertThat(quotas.refusal(List.of(job("d-1", "default")))).isEmpty();
        submit("d-1", "default");
        assertThat(quotas.refusal(List.of(job("d-2", "default"))).orElse(""))
                .startsWith("project default has 1 job waiting, and with 1 more it would have 2");
    }
}
