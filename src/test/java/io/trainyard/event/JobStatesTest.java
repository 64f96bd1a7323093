package io.trainyard.event;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobStatesTest {
    private final List<String> evicted = new ArrayList<>();
    private final JobStates states = new JobStates(3, evicted::add);

    @Test
    void returnsJobsInTheOrderOfTheirFirstRecords() {
        assertThat(states.take(requested("b", 1))).isNotNull();
        states.take(requested("a", 2));
        states.take(new EventRecord(claimed("b"), 3));
        assertThat(jobs()).containsExactly("b", "a");
        assertThat(states.find("b")).extracting(JobState::status).isEqualTo(Status.RUNNING);
        assertThat(states.find("c")).isNull();
    }

    @Test
    void evictsEndedAndWaitingJobsFirst() {
        states.take(new EventRecord(claimed("runs"), 1));
        states.take(new EventRecord(finished("ended", 1, 20), 2));
        states.take(requested("waits", 3));
        states.take(requested("next", 4));
        assertThat(jobs()).containsExactly("runs", "waits", "next");
        states.take(new EventRecord(claimed("more"), 5));
        assertThat(jobs()).containsExactly("runs", "next", "more");
        assertThat(evicted).containsExactly("ended", "waits");
    }

    @Test
    void evictsTheRunningJobWithTheOldestRecord() {
        for (int i = 0; i < 50; i++) {
            states.take(new EventRecord(claimed("j" + i), i));
        }
        states.take(new EventRecord(claimed("j47"), 50));
        states.take(new EventRecord(claimed("j50"), 51));
        assertThat(jobs()).containsExactly("j47", "j49", "j50");
    }

    @Test
    void oldRecordsDoNotRestoreAnEvictedJob() {
        for (int i = 1; i <= 4; i++) {
            states.take(new EventRecord(finished("j" + i, 1, 20), i));
        }
        assertThat(states.take(new EventRecord(losses("j1", 1, 0, 1, 10), 1))).isNull();
        assertThat(jobs()).containsExactly("j2", "j3", "j4");
        assertThat(states.take(new EventRecord(claimed("j1", 2), 5))).isNotNull();
        assertThat(jobs()).containsExactly("j3", "j4", "j1");
    }

    @Test
    void rememberedEvictionsAreLimited() {
        for (int i = 0; i < 34; i++) {
            states.take(new EventRecord(finished("j" + i, 1, 20), i));
        }
        assertThat(states.take(new EventRecord(losses("j1", 1, 0, 1, 10), 1))).isNull();
        assertThat(evicted).hasSize(31).doesNotHaveDuplicates();
        assertThat(states.take(new EventRecord(claimed("j0"), 0))).isNotNull();
    }

    private List<String> jobs() {
        return states.jobs().stream().map(JobState::job).toList();
    }

    private static Requested requested(String job, long millis) {
        return new Requested(job, spec(job), job + millis, millis);
    }
}
