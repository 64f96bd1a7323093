package io.trainyard.tracking;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.released;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.share.ProjectUse;
import io.trainyard.spec.JobJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The store's data about projects.
class ProjectUseTest {
    private static final long NOW = 1_750_000_000_000L;
    private static final long MINUTE = 60_000;
    private static final JobQuery ALL = new JobQuery(Set.of(), "", "", JobQuery.Sort.JOB, false, 9, 0);

    private static JobRecord asked(String job, String project) {
        byte[] command = """
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 1%s}""".formatted(job, project).getBytes(StandardCharsets.UTF_8);
        return new Requested(job, JobJson.read(command), "commands.normal-0 at offset 1", NOW - 300 * MINUTE);
    }

    private static JobRecord published(TrainingEvent event, long minutesAgo) {
        return new EventRecord(event, NOW - minutesAgo * MINUTE);
    }

    private static final List<JobRecord> JOB_TOPICS = List.of(
            asked("a", ", \"project\": \"vision\""),
            published(new Claimed("a", 1, "w1", "cuda:0+cuda:1"), 90), // half an hour of it is before the hour
            published(released("a", 1, 10, "the worker stops"), 50),
            published(claimed("a", 2), 20), // the wait between the two counts for no project
            published(losses("a", 2, 0, 11, 10), 5),
            asked("b", ", \"project\": \"vision\""),
            asked("c", ""),
            published(claimed("c"), 200),
            published(finished("c", 1, 10), 30),
            asked("d", ", \"project\": \"text\""),
            published(claimed("d"), 200),
            published(finished("d", 1, 10), 61),
            asked("e", ", \"project\": \"vision\""),
            published(claimed("e"), -5), // from a clock that is ahead
            published(finished("e", 1, 10), -10),
            new Rejected("f", null, "no", NOW));

    @ParameterizedTest
    @EnumSource(Databases.class)
    void reportsCurrentAndPastUse(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            store.take(JOB_TOPICS, Map.of());
            assertThat(store.projects(NOW - 60 * MINUTE, NOW))
                    .isEqualTo(Map.of(
                            "vision", new ProjectUse(1, 1, 60 * (2 * 10 + 15)),
                            "default", new ProjectUse(0, 0, 60 * 30)));
        }
    }

    @ParameterizedTest
    @EnumSource(Databases.class)
    void listsTheJobsOfAProject(Databases kind) {
        String url = kind.empty();
        try (TrackingStore store = TrackingStore.open(url)) {
            store.take(JOB_TOPICS, Map.of());
            requireLists(store);
        }
    }

    private static void requireLists(TrackingStore store) {
        assertThat(jobs(store, "vision")).containsExactly("a", "b", "e");
        assertThat(jobs(store, "default")).containsExactly("c");
        assertThat(jobs(store, "nobody's")).isEmpty();
        assertThat(jobs(store, "")).containsExactly("a", "b", "c", "d", "e", "f");
    }

    private static List<String> jobs(TrackingStore store, String project) {
        return store.jobs(ALL.ofProject(project)).jobs().stream()
                .map(JobSummary::job)
                .toList();
    }
}
