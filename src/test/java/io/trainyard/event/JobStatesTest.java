package io.trainyard.event;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
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

    /// Topics are in order, but they are read in parallel, and a consumer that loses its position reads
    /// everything again.
    @Test
    void theStateIsTheSameForAnyInterleavingOfTopics() {
        List<List<JobRecord>> topics = List.of(
                List.of(requested("a", 1), requested("b", 2), requested("b", 30), requested("c", 3)),
                List.of(rejected("b", 2, 4), rejected("c", 3, 5), rejected("a", 1, 50)),
                List.of(
                        new EventRecord(claimed("a", 1), 6),
                        new EventRecord(started("a", 1, 1), 7),
                        new EventRecord(claimed("a", 2), 20),
                        new EventRecord(started("a", 2, 11), 21),
                        new EventRecord(finished("a", 2, 20), 29)),
                List.of(
                        new EventRecord(losses("a", 1, 0, 1, 10), 10),
                        new EventRecord(losses("a", 1, 1, 11, 6), 16),
                        new EventRecord(losses("a", 2, 1, 11, 10), 28)),
                List.of(
                        new EventRecord(tested("a", 1, 0, 10, 0.5), 11),
                        new EventRecord(tested("a", 2, 1, 20, 0.7), 28)));
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            JobStates one = new JobStates(3, evicted::add);
            List<Integer> turns = new ArrayList<>();
            for (int again = 0; again < 2; again++) {
                List<Integer> pass = new ArrayList<>();
                for (int t = 0; t < topics.size(); t++) {
                    pass.addAll(Collections.nCopies(topics.get(t).size(), t));
                }
                Collections.shuffle(pass, random);
                turns.addAll(pass);
            }
            int[] next = new int[topics.size()];
            for (int t : turns) {
                one.take(topics.get(t).get(next[t]++ % topics.get(t).size()));
            }
            JobState ran = Objects.requireNonNull(one.find("a"));
            assertThat(ran.status()).as("round %d", round).isEqualTo(Status.FINISHED);
            assertThat(ran.attempt()).isEqualTo(2);
            assertThat(ran.worker()).isEqualTo("w2");
            assertThat(ran.epochs()).extracting(JobState.Epoch::testAccuracy).containsExactly(0.5, 0.7);
            assertThat(ran.rejection()).isEqualTo("no");
            assertThat(one.find("b")).extracting(JobState::status).isEqualTo(Status.QUEUED);
            assertThat(one.find("c")).extracting(JobState::status).isEqualTo(Status.REJECTED);
        }
    }

    private List<String> jobs() {
        return states.jobs().stream().map(JobState::job).toList();
    }

    private static Requested requested(String job, long millis) {
        return new Requested(job, spec(job), job + millis, millis);
    }

    private static Rejected rejected(String job, long commandMillis, long millis) {
        return new Rejected(job, job + commandMillis, "no", millis);
    }
}
