package io.trainyard.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.ownership.PreemptionRule.Decision;
import io.trainyard.ownership.PreemptionRule.LiveWorker;
import io.trainyard.ownership.PreemptionRule.Running;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PreemptionRuleTest {
    private static final int MOST = 3;

    private final List<WaitingCommand> waiting = new ArrayList<>();
    private final List<LiveWorker> seats = new ArrayList<>();
    private final List<Running> running = new ArrayList<>();

    private void waits(String job, Priority priority, String kind, String... refusedBy) {
        waiting.add(new WaitingCommand(
                Topic.COMMANDS_HIGH, waiting.size(), job, 1, priority, kind, 1, "default", Set.of(refusedBy)));
    }

    private void waitsHigh(String job) {
        waits(job, Priority.HIGH, "auto");
    }

    private void seat(String worker, String kind, int free) {
        seats.add(new LiveWorker(worker, kind, 1, free));
    }

    private void runs(String job, String worker, Priority priority, int preemptions) {
        running.add(new Running(job, 1, worker, priority, true, preemptions));
    }

    /// A worker with one job.
    private void busy(String worker, String job, Priority priority) {
        seat(worker, "cpu", 0);
        runs(job, worker, priority, 0);
    }

    private List<String> decisions() {
        return PreemptionRule.of(waiting, seats, running, MOST).stream()
                .map(decision ->
                        decision.victim().job() + " for " + decision.command().job())
                .toList();
    }

    @Test
    void theJobWithTheLowestPriorityIsPreempted() {
        busy("a", "normal", Priority.NORMAL);
        busy("b", "low", Priority.LOW);
        busy("c", "high", Priority.HIGH);
        waitsHigh("u");
        assertThat(decisions()).containsExactly("low for u");
        waitsHigh("v");
        waitsHigh("w");
        assertThat(decisions()).as("none that is as urgent does").containsExactly("low for u", "normal for v");
    }

    @Test
    void nothingIsPreemptedWhileAWorkerIsFree() {
        busy("a", "low", Priority.LOW);
        seat("b", "cpu", 1);
        waitsHigh("u");
        assertThat(decisions()).isEmpty();
        waitsHigh("v");
        assertThat(decisions()).as("the free worker claims one").containsExactly("low for v");
    }

    @Test
    void normalCommandsPreemptNothing() {
        busy("a", "low", Priority.LOW);
        waits("n", Priority.NORMAL, "auto");
        assertThat(decisions()).isEmpty();
    }

    @Test
    void theLeastPreemptedJobIsPreemptedFirstUpToTheLimit() {
        seat("a", "cpu", 0);
        seat("b", "cpu", 0);
        seat("c", "cpu", 0);
        runs("once", "a", Priority.LOW, 1);
        runs("twice", "b", Priority.LOW, 2);
        runs("enough", "c", Priority.LOW, MOST);
        waitsHigh("u");
        waitsHigh("v");
        waitsHigh("w");
        assertThat(decisions()).containsExactly("once for u", "twice for v");
    }

    @Test
    void jobsThatAreNotPreemptibleKeepRunning() {
        seat("a", "cpu", 0);
        running.add(new Running("stays", 1, "a", Priority.LOW, false, 0));
        waitsHigh("u");
        assertThat(decisions()).isEmpty();
    }

    @Test
    void onlyWorkersThatCanRunTheJobArePreempted() {
        busy("a", "low", Priority.LOW);
        seat("gpu", "cuda", 0);
        runs("normal", "gpu", Priority.NORMAL, 0);
        waits("u", Priority.HIGH, "cuda");
        assertThat(decisions()).containsExactly("normal for u");
        waiting.clear();
        waits("u", Priority.HIGH, "auto", "a");
        assertThat(decisions()).as("a worker that refused it is not preempted").containsExactly("normal for u");
        waiting.clear();
        waiting.add(new WaitingCommand(Topic.COMMANDS_HIGH, 0, "u", 1, Priority.HIGH, "auto", 2, "default", Set.of()));
        assertThat(decisions()).as("no worker supports its schema version").isEmpty();
    }

    @Test
    void aFreeWorkerWithAnotherDeviceKindDoesNotCount() {
        busy("a", "low", Priority.LOW);
        seat("gpu", "cuda", 1);
        waits("u", Priority.HIGH, "cpu");
        assertThat(decisions()).containsExactly("low for u");
    }

    @Test
    void jobsOfUnhealthyWorkersAreNotPreempted() {
        runs("trouble", "a", Priority.LOW, 0); // its slots are not available
        busy("b", "normal", Priority.NORMAL);
        waitsHigh("u");
        assertThat(decisions()).containsExactly("normal for u");
    }

    @Test
    void aJobIsNotPreemptedForItself() {
        busy("a", "job", Priority.LOW);
        waitsHigh("job");
        assertThat(decisions()).isEmpty();
    }

    /// Workers read the same records in different orders.
    @Test
    void allWorkersComputeTheSameResult() {
        for (int i = 0; i < 20; i++) {
            busy("w" + i, "job-" + i, i % 3 == 0 ? Priority.LOW : Priority.NORMAL);
        }
        for (int i = 0; i < 5; i++) {
            waitsHigh("u" + i);
        }
        List<Decision> first = PreemptionRule.of(waiting, seats, running, MOST);
        assertThat(first).hasSize(5);
        Random chance = new Random(1);
        for (int i = 0; i < 20; i++) {
            Collections.shuffle(seats, chance);
            Collections.shuffle(running, chance);
            assertThat(PreemptionRule.of(waiting, seats, running, MOST)).isEqualTo(first);
        }
    }
}
