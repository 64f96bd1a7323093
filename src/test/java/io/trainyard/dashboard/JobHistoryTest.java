package io.trainyard.dashboard;

import static io.trainyard.dashboard.SampleEvents.losses;
import static io.trainyard.dashboard.SampleEvents.started;
import static io.trainyard.dashboard.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.WorkerStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JobHistoryTest {
    private static final long NOW = 1_750_000_000_000L;

    private final JobHistory history = new JobHistory(new JobHistory.Limits(3, 100, 2, 10_000, 60_000));

    private static WorkerStatus worker(String id, boolean stopping) {
        return new WorkerStatus(id, "cpu", "a", 1, 1234.5, 1 << 28, stopping);
    }

    private static Finished finished(String job) {
        return new Finished(job, 1, 20, 0.9, 800, 900, 1000, 5000, "ab", null);
    }

    private long lossesOf(String job) {
        return history.losses(job, 1, Long.MAX_VALUE, 1000).orElseThrow().firstStep().length;
    }

    @Test
    void foldsAJob() {
        history.apply(new Claimed("a", 1, "w1", "cpu"), NOW);
        history.apply(started("a", 1, 2, 1, 10), NOW + 1);
        history.apply(losses("a", 1, 0, 1, 10), NOW + 2);
        history.apply(tested("a", 1, 0, 10, 0.5), NOW + 3);

        assertThat(history.jobs()).singleElement().satisfies(job -> {
            assertThat(job.status()).isEqualTo(Status.RUNNING);
            assertThat(job.network()).isEqualTo("fashion");
            assertThat(job.dataset()).isEqualTo("fashion-mnist");
            assertThat(job.step()).isEqualTo(10);
            assertThat(job.steps()).isEqualTo(20);
            assertThat(job.epochsDone()).isEqualTo(1);
            assertThat(job.testAccuracy()).isEqualTo(0.5);
            assertThat(job.firstSeenMillis()).isEqualTo(NOW);
        });
        assertThat(history.job("a").orElseThrow().confusion()).hasDimensions(10, 10);
        assertThat(history.job("a").orElseThrow().command()).contains("\"batchSize\":64");
        assertThat(lossesOf("a")).isEqualTo(10);
        assertThat(history.job("b")).isEmpty();
        assertThat(history.losses("b", 1, 9, 9)).isEmpty();
    }

    /// Each topic keeps its order, but the topics are read side by side; and a consumer that loses its place
    /// reads all again.
    @Test
    void comesOutTheSameHoweverTheTopicsInterleave() {
        List<List<TrainingEvent>> topics = List.of(
                List.of(
                        new Claimed("a", 1, "w1", "cpu"),
                        started("a", 1, 2, 1, 10),
                        new Claimed("a", 2, "w2", "cpu"),
                        started("a", 2, 2, 11, 10),
                        new Finished("a", 2, 20, 0.7, 800, 900, 1000, 5000, "ab", null)),
                List.of(losses("a", 1, 0, 1, 10), losses("a", 1, 1, 11, 6), losses("a", 2, 1, 11, 10)),
                List.of(tested("a", 1, 0, 10, 0.5), tested("a", 2, 1, 20, 0.7)));
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            JobHistory one = new JobHistory(new JobHistory.Limits(3, 100, 2, 10_000, 60_000));
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
                one.apply(topics.get(t).get(next[t]++ % topics.get(t).size()), NOW);
            }

            JobSummary job = one.jobs().getFirst();
            assertThat(job.status()).isEqualTo(Status.FINISHED);
            assertThat(job.attempt()).isEqualTo(2);
            assertThat(job.worker()).isEqualTo("w2");
            assertThat(job.testAccuracy()).isEqualTo(0.7);
            assertThat(one.losses("a", 1, 99, 99).orElseThrow().firstStep())
                    .as("round %d: every step once", round)
                    .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20);
        }
    }

    @Test
    void theFinishedJobThatWasLongestQuietLeavesFirst() {
        history.apply(new Claimed("running", 1, "w1", "cpu"), NOW);
        history.apply(finished("old"), NOW + 1);
        history.apply(finished("new"), NOW + 2);
        history.apply(new Claimed("next", 1, "w1", "cpu"), NOW + 3);
        assertThat(history.jobs()).extracting(JobSummary::job).containsExactly("next", "new", "running");

        history.apply(losses("old", 1, 0, 1, 10), NOW); // its losses are read after its end
        assertThat(history.jobs()).extracting(JobSummary::job).containsExactly("next", "new", "running");

        history.apply(new Claimed("old", 2, "w1", "cpu"), NOW + 9); // but it may be run again
        assertThat(history.jobs()).extracting(JobSummary::job).containsExactly("old", "next", "running");
    }

    @Test
    void staysBoundedWhenNoJobEnds() {
        for (int i = 0; i < 50; i++) {
            history.apply(new Claimed("job" + i, 1, "w1", "cpu"), NOW + i);
        }
        assertThat(history.jobs()).extracting(JobSummary::job).containsExactly("job49", "job48", "job47");
    }

    @Test
    void tellsEachReaderWhatIsNewToIt() {
        history.apply(new Claimed("a", 1, "w1", "cpu"), NOW);
        history.apply(new Claimed("b", 1, "w1", "cpu"), NOW);
        LiveUpdate first = history.since(0, NOW);
        assertThat(first.snapshot()).isTrue();
        assertThat(first.jobs()).hasSize(2);
        assertThat(first.workers()).isEmpty();
        assertThat(history.since(first.version(), NOW).isEmpty()).isTrue();

        history.apply(new Failed("b", 1, "no such data set"), NOW);
        LiveUpdate second = history.since(first.version(), NOW);
        assertThat(second.snapshot()).isFalse();
        assertThat(second.jobs()).extracting(JobSummary::reason).containsExactly("no such data set");
        assertThat(second.workers()).isNull();

        history.apply(new Claimed("c", 1, "w1", "cpu"), NOW);
        history.apply(new Claimed("d", 1, "w1", "cpu"), NOW);
        assertThat(history.since(second.version(), NOW).snapshot())
                .as("a job has left, so all are told anew")
                .isTrue();
    }

    @Test
    void aWorkerThatFallsSilentIsGoneAndThenForgotten() {
        history.apply(worker("w1", false), NOW);
        long version = history.since(0, NOW).version();
        assertThat(history.workers(NOW + 10_000)).extracting(WorkerView::gone).containsExactly(false);

        LiveUpdate later = history.since(version, NOW + 10_001);
        assertThat(later.workers()).extracting(WorkerView::gone).containsExactly(true);
        history.apply(worker("w1", false), NOW + 11_000);
        assertThat(history.workers(NOW + 11_000)).extracting(WorkerView::gone).containsExactly(false);

        assertThat(history.workers(NOW + 80_000)).isEmpty();
    }

    @Test
    void aWorkerThatStopsLeavesAtOnce() {
        history.apply(worker("w1", false), NOW);
        history.apply(worker("w1", true), NOW + 1);
        assertThat(history.workers(NOW + 2)).isEmpty();
    }

    @Test
    void keepsTheWorkersSeenLast() {
        history.apply(worker("w2", false), NOW);
        history.apply(worker("w1", false), NOW + 1);
        history.apply(worker("w3", false), NOW + 2);
        assertThat(history.workers(NOW + 2)).extracting(WorkerView::worker).containsExactly("w1", "w3");
    }

    @Test
    void refusesEventsThatCannotBe() {
        assertThatThrownBy(() -> history.apply(new Claimed("x".repeat(201), 1, "w", "cpu"), NOW))
                .hasMessage("the job's id has 201 characters; allowed is 1 to 200");
        assertThatThrownBy(() -> history.apply(new Claimed("a", 0, "w", "cpu"), NOW))
                .hasMessageContaining("attempts count from 1");
        assertThat(history.jobs()).isEmpty();
    }

    @Test
    void cutsAReasonOfAnyLength() {
        history.apply(new Failed("a", 1, "x".repeat(100_000)), NOW);
        assertThat(history.jobs().getFirst().reason()).hasSize(JobSummary.MAX_REASON + 1);
    }
}
