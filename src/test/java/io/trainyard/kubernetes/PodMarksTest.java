package io.trainyard.kubernetes;

import static io.trainyard.kubernetes.PodMark.BUSY;
import static io.trainyard.kubernetes.PodMark.IDLE;
import static io.trainyard.kubernetes.PodMark.REFUSING;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.kubernetes.PodMarks.Worker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

    private static Worker worker(String name, PodMark mark, long heardSeconds) {
        return new Worker(name, mark, heardSeconds * 1000);
    }

    @Test
    void aPodIsBusyAtOnceAndIdleWhenItsWorkerHasRested() {
        assertThat(look(0, worker("w", IDLE, 0))).containsExactly("w IDLE");
        assertThat(look(2, worker("w", BUSY, 2))).containsExactly("w BUSY");
        assertThat(look(4, worker("w", IDLE, 4))).isEmpty();
        assertThat(look(6, worker("w", BUSY, 6))).as("it took the next one").isEmpty();
        assertThat(look(15, worker("w", IDLE, 8))).isEmpty();
        assertThat(look(16, worker("w", IDLE, 16))).containsExactly("w IDLE");
        assertThat(look(18, worker("w", REFUSING, 18))).containsExactly("w REFUSING");
    }

    @Test
    void aClaimCountsUntilTheNextHeartbeatSaysMore() {
        var _ = look(0, worker("w", IDLE, 0), worker("v", IDLE, 0));
        marks.claimed("w", 1000);
        marks.claimed("nobody", 1000);
        assertThat(look(1, worker("w", IDLE, 0), worker("v", IDLE, 0))).containsExactly("w BUSY");
        assertThat(look(11, worker("w", IDLE, 0), worker("v", IDLE, 10)))
                .as("it is not heard of since")
                .isEmpty();
        assertThat(look(21, worker("w", IDLE, 20), worker("v", IDLE, 20))).containsExactly("w IDLE");
    }

    @Test
    void whatIsMarkedIsMarkedAgainNowAndThen() {
        var _ = look(0, worker("w", BUSY, 0));
        long again = PodMarks.AGAIN.toSeconds();
        assertThat(look(again - 1, worker("w", BUSY, again - 1))).isEmpty();
        assertThat(look(again, worker("w", BUSY, again))).containsExactly("w BUSY");
        assertThat(look(again + 1, worker("w", BUSY, again))).isEmpty();
        assertThat(look(again + 2)).as("it is gone, and forgotten").isEmpty();
        assertThat(look(again + 3, worker("w", BUSY, again + 3))).containsExactly("w BUSY");
    }

    @Test
    void busyOnesComeFirstAndNoMoreThanSoMany() {
        Worker[] fleet = IntStream.range(0, PodMarks.MAX_AT_ONCE + 2)
                .mapToObj(i -> worker("w%03d".formatted(i), i < 100 ? IDLE : BUSY, 0))
                .toArray(Worker[]::new);
        List<String> first = look(0, fleet);
        assertThat(first).hasSize(PodMarks.MAX_AT_ONCE).startsWith("w100 BUSY", "w101 BUSY", "w000 IDLE");
        assertThat(marks.unmarked()).isEqualTo(2);
        assertThat(look(1, fleet)).containsExactly("w098 IDLE", "w099 IDLE");
        assertThat(marks.unmarked()).isZero();
    }

    @Test
    void whileTheServerIsAwayItIsAskedLessAndLessOften() {
        Worker[] fleet = {worker("a", BUSY, 0), worker("b", BUSY, 0)};
        away = true;
        assertThat(look(0, fleet)).as("the second would fail, too").containsExactly("a BUSY");
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
        assertThat(look(121, fleet)).containsExactly("a BUSY", "b BUSY");
        assertThat(marks.unmarked()).isZero();
    }
}
