package io.trainyard.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.kubernetes.PodMarks.Worker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PodMarksTest {
    private final List<String> patches = new ArrayList<>();
    private boolean away;
    private final PodMarks marks = new PodMarks((pod, mark) -> {
        patches.add(pod + " " + mark);
        if (away) {
            throw new ApiServerException("it is away", new IOException());
        }
        return true;
    });

    private List<String> look(long seconds, Worker... workers) {
        patches.clear();
        marks.look(Arrays.asList(workers), seconds * 1000);
        return List.copyOf(patches);
    }

    private static Worker idle(String name, long receivedSeconds) {
        return new Worker(name, Set.of(), false, receivedSeconds * 1000);
    }

    private static Worker busy(String name, String job, long receivedSeconds) {
        return new Worker(name, Set.of(job), false, receivedSeconds * 1000);
    }

    private static Worker refusing(String name, long receivedSeconds) {
        return new Worker(name, Set.of(), true, receivedSeconds * 1000);
    }

    /// The longer a worker's job has run, the higher is the deletion cost.
    @Test
    void marksAreInTheOrderOfTheirCosts() {
        List<Integer> costs = Arrays.stream(PodMark.values())
                .map(mark -> Integer.valueOf(String.valueOf(mark.annotations().get(PodMark.DELETION_COST))))
                .toList();
        assertThat(costs).isSortedAccordingTo(Comparator.reverseOrder()).doesNotHaveDuplicates();
    }

    @Test
    void aWorkerWithManyShortJobsIsPatchedOnce() {
        assertThat(look(0, idle("w", 0))).containsExactly("w IDLE");
        assertThat(look(2, busy("w", "a", 2))).containsExactly("w NEWLY_BUSY");
        assertThat(look(50, busy("w", "a", 50))).isEmpty();
        assertThat(look(52, idle("w", 52))).as("it has ended a moment ago").isEmpty();
        assertThat(look(54, busy("w", "b", 54))).isEmpty();
        assertThat(look(80, busy("w", "b", 80)))
                .as("neither of them has lasted a minute")
                .isEmpty();
        assertThat(look(84, idle("w", 84))).isEmpty();
        assertThat(look(85, idle("w", 85))).containsExactly("w IDLE");
        assertThat(look(86, refusing("w", 86))).containsExactly("w REFUSING");
    }

    @Test
    void aWorkerWithALongJobHasTheHighestCostAndAnIdleOneTheLowest() {
        assertThat(look(0, busy("w", "a", 0))).containsExactly("w NEWLY_BUSY");
        assertThat(look(59, busy("w", "a", 58))).isEmpty();
        assertThat(look(60, busy("w", "a", 60))).containsExactly("w BUSY");
        assertThat(look(62, busy("w", "b", 62))).as("the next one").containsExactly("w NEWLY_BUSY");
        assertThat(look(122, busy("w", "b", 122))).containsExactly("w BUSY");
        assertThat(look(124, idle("w", 124))).containsExactly("w IDLE");
    }

    @Test
    void aClaimCountsUntilTheNextHeartbeat() {
        var _ = look(0, idle("w", 0), idle("v", 0));
        marks.claimed("w", "a", 1000);
        marks.claimed("nobody", "b", 1000);
        assertThat(look(1, idle("w", 0), idle("v", 0))).containsExactly("w NEWLY_BUSY");
        assertThat(look(11, idle("w", 0), idle("v", 10)))
                .as("it is not heard of since")
                .isEmpty();
        assertThat(look(12, busy("w", "a", 12), idle("v", 12))).isEmpty();
        assertThat(look(61, busy("w", "a", 61), idle("v", 61)))
                .as("since its claim")
                .containsExactly("w BUSY");
        assertThat(look(63, idle("w", 63), idle("v", 63))).containsExactly("w IDLE");
    }

    @Test
    void marksAreRepeatedPeriodically() {
        var _ = look(0, idle("w", 0));
        long again = PodMarks.AGAIN.toSeconds();
        assertThat(look(again - 1, idle("w", again - 1))).isEmpty();
        assertThat(look(again, idle("w", again))).containsExactly("w IDLE");
        assertThat(look(again + 1, idle("w", again))).isEmpty();
        assertThat(look(again + 2)).as("it is gone, and forgotten").isEmpty();
        assertThat(look(again + 3, idle("w", again + 3))).containsExactly("w IDLE");
    }

    @Test
    void busyPodsAreMarkedFirstUpToALimit() {
        Worker[] fleet = IntStream.range(0, PodMarks.MAX_AT_ONCE + 2)
                .mapToObj(i -> i < 100 ? idle("w%03d".formatted(i), 0) : busy("w%03d".formatted(i), "a", 0))
                .toArray(Worker[]::new);
        List<String> first = look(0, fleet);
        assertThat(first).hasSize(PodMarks.MAX_AT_ONCE).startsWith("w100 NEWLY_BUSY", "w101 NEWLY_BUSY", "w000 IDLE");
        assertThat(marks.unmarked()).isEqualTo(2);
        assertThat(look(1, fleet)).containsExactly("w098 IDLE", "w099 IDLE");
        assertThat(marks.unmarked()).isZero();
    }

    @Test
    void retriesAtGrowingIntervalsWhileTheServerIsUnavailable() {
        Worker[] fleet = {idle("a", 0), idle("b", 0)};
        away = true;
        assertThat(look(0, fleet)).as("the second would fail, too").containsExactly("a IDLE");
        assertThat(marks.unmarked()).isEqualTo(2);
        List<Long> asked = new ArrayList<>();
        for (long second = 1; second <= 120; second++) {
            if (!look(second, fleet).isEmpty()) {
                asked.add(second);
            }
        }
        assertThat(asked).containsExactly(1L, 3L, 7L, 15L, 31L, 61L, 91L);
        assertThat(marks.unmarked()).isEqualTo(2);
        away = false;
        assertThat(look(121, fleet)).containsExactly("a IDLE", "b IDLE");
        assertThat(marks.unmarked()).isZero();
    }

    /// The job that has run longest counts.
    @Test
    void aWorkersDeletionCostFollowsItsOldestJob() {
        Worker both = new Worker("w", Set.of("a", "b"), false, 61_000);
        assertThat(look(0, busy("w", "a", 0))).containsExactly("w NEWLY_BUSY");
        assertThat(look(61, both)).containsExactly("w BUSY");
        assertThat(look(62, busy("w", "b", 62))).containsExactly("w NEWLY_BUSY");
        marks.claimed("w", "c", 63_000);
        marks.claimed("w", "d", 63_000);
        assertThat(look(123, busy("w", "b", 62))).containsExactly("w BUSY");
        assertThat(look(124, new Worker("w", Set.of("c", "d"), false, 63_500))).containsExactly("w NEWLY_BUSY");
        assertThat(look(130, idle("w", 130))).containsExactly("w IDLE");
    }
}
