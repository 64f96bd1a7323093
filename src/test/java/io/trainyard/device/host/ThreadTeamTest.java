package io.trainyard.device.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ThreadTeamTest {
    @Test
    void everyPartIsDoneOnceEachTimeAndIsSeenByTheCaller() {
        int[] counts = new int[3]; // plain: the barriers make writes visible
        try (ThreadTeam team = new ThreadTeam(3)) {
            for (int round = 1; round <= 2000; round++) {
                team.run(part -> counts[part]++);
                assertThat(counts).containsOnly(round);
            }
        }
    }

    @Test
    void everySharedPartIsDoneOnceEachTime() {
        int[] counts = new int[5];
        try (ThreadTeam team = new ThreadTeam(5)) {
            for (int round = 1; round <= 2000; round++) {
                team.share(part -> counts[part]++);
                assertThat(counts).containsOnly(round);
            }
        }
    }

    /// The parts take about as long as a helper takes to start, so that both threads try to take the same one.
    @Test
    void aContestedPartRunsOnce() {
        int rounds = 50_000;
        int lengths = 2_000;
        AtomicIntegerArray counts = new AtomicIntegerArray(2);
        try (ThreadTeam team = new ThreadTeam(2)) {
            for (int round = 0; round < rounds; round++) {
                int turns = round % lengths;
                team.share(part -> {
                    for (int i = 0; part == 0 && i < turns; i++) {
                        Thread.onSpinWait();
                    }
                    counts.incrementAndGet(part);
                });
            }
        }
        assertThat(counts.get(0)).isEqualTo(rounds);
        assertThat(counts.get(1)).isEqualTo(rounds);
    }

    /// The caller finishes such small parts long before the sleeping thread wakes.
    @Test
    void theCallerRunsTheSharedPartOfASleepingThread() {
        Thread[] doers = new Thread[2];
        int byTheCaller = 0;
        try (ThreadTeam team = new ThreadTeam(2)) {
            for (int round = 0; round < 100 && byTheCaller == 0; round++) {
                awaitSleeping();
                team.share(part -> doers[part] = Thread.currentThread());
                byTheCaller += doers[1] == Thread.currentThread() ? 1 : 0;
            }
        }
        assertThat(byTheCaller).isPositive();
    }

    @Test
    void sleepersWake() {
        AtomicIntegerArray counts = new AtomicIntegerArray(2);
        try (ThreadTeam team = new ThreadTeam(2)) {
            team.run(counts::incrementAndGet);
            awaitSleeping();
            team.run(counts::incrementAndGet);
        }
        assertThat(counts.get(0)).isEqualTo(2);
        assertThat(counts.get(1)).isEqualTo(2);
    }

    /// The helper stops spinning and sleeps.
    private static void awaitSleeping() {
        Patience.await("a helper that sleeps")
                .until(() -> helpers().anyMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
    }

    @Test
    void theCallerThrowsTheExceptionOfAThread() {
        try (ThreadTeam team = new ThreadTeam(2)) {
            assertThatThrownBy(() -> team.share(part -> {
                        throw new ArithmeticException("in part " + part);
                    }))
                    .isInstanceOf(ArithmeticException.class)
                    .hasMessage("in part 0");
            assertThatThrownBy(() -> team.run(part -> {
                        if (part == 1) {
                            throw new ArithmeticException("by the helper");
                        }
                    }))
                    .isInstanceOf(ArithmeticException.class)
                    .hasMessage("by the helper");
            assertThatThrownBy(() -> team.run(part -> {
                        if (part == 0) {
                            throw new OutOfMemoryError("by the caller");
                        }
                    }))
                    .isInstanceOf(OutOfMemoryError.class);
            AtomicIntegerArray counts = new AtomicIntegerArray(2);
            team.run(counts::incrementAndGet);
            assertThat(counts.get(1)).as("it goes on").isEqualTo(1);
        }
    }

    @Test
    void closingEndsItsThreads() {
        ThreadTeam team = new ThreadTeam(4);
        assertThat(helpers().count()).isGreaterThanOrEqualTo(3);
        team.close();
        Patience.await("no helper to be left").until(() -> helpers().findAny().isEmpty());
    }

    private static Stream<Thread> helpers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("trainyard-kernels-"));
    }
}
