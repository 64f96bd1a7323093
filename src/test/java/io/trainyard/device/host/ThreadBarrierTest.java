package io.trainyard.device.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ThreadBarrierTest {
    private static final int ROUNDS = 3000;

    /// Each thread sums what all have written in a round. The arrays are plain: the barrier makes writes
    /// visible.
    @Test
    void allSeeEarlierWritesOfTheOthers() {
        int[][] rows = new int[2][3]; // alternate because a faster thread already writes the next round
        long[] seen = new long[3];
        try (ThreadTeam team = new ThreadTeam(3)) {
            team.run(part -> {
                for (int round = 1; round <= ROUNDS; round++) {
                    int[] row = rows[round % 2];
                    row[part] = round * (part + 1);
                    team.barrier().await(part);
                    seen[part] += row[0] + row[1] + row[2];
                }
            });
        }
        assertThat(seen).containsOnly(6L * ROUNDS * (ROUNDS + 1) / 2);
    }

    /// Longer than a thread spins before it sleeps.
    @Test
    void sleepersWake() {
        try (ThreadTeam team = new ThreadTeam(2)) {
            AtomicIntegerArray met = new AtomicIntegerArray(2);
            team.run(part -> {
                for (int late = 0; late < 2; late++) {
                    if (part == late) {
                        LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
                    }
                    team.barrier().await(part);
                    met.incrementAndGet(part);
                }
            });
            assertThat(met.get(0) + met.get(1)).isEqualTo(4);
        }
    }

    /// The caller gets the exception of any member, and the team stays usable.
    @Test
    void anExceptionReleasesTheOthersAndIsReported() {
        try (ThreadTeam team = new ThreadTeam(3)) {
            for (int failing = 0; failing < 3; failing++) {
                int number = failing;
                assertThatThrownBy(() -> team.run(part -> {
                            team.barrier().await(part);
                            if (part == number) {
                                throw new ArithmeticException("member " + number);
                            }
                            team.barrier().await(part);
                            team.barrier().await(part);
                        }))
                        .isInstanceOf(ArithmeticException.class)
                        .hasMessage("member " + number);
                AtomicIntegerArray met = new AtomicIntegerArray(3);
                team.run(part -> {
                    team.barrier().await(part);
                    met.incrementAndGet(part);
                });
                assertThat(met.get(0) + met.get(1) + met.get(2)).isEqualTo(3);
            }
        }
    }

    @Test
    void aSingleMemberDoesNotWait() {
        try (ThreadTeam team = new ThreadTeam(1)) {
            int[] met = {0};
            team.run(part -> {
                team.barrier().await(part);
                met[0]++;
            });
            assertThat(met[0]).isEqualTo(1);
        }
    }
}
