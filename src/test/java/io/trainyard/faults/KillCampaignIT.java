package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Workers are killed at each kill point, or frozen with `-Dfaults.freeze=true`, and others continue their
/// jobs. Heartbeats have the default interval. Every second frozen worker continues after its job has ended.
@Faults
@DisabledOnOs(OS.WINDOWS)
final class KillCampaignIT {
    private static final int KILLS = Integer.getInteger("faults.kills", 20);
    private static final int AT_ONCE = Integer.getInteger("faults.at-once", 5);
    private static final int WHOLE = Integer.getInteger("faults.workers", 2 * AT_ONCE); // half of them idle
    private static final boolean FREEZE = Boolean.getBoolean("faults.freeze");
    private static final long SEED = Long.getLong("faults.seed", 1);

    /// The limit from a kill to the next attempt's first step.
    private static final Duration BOUND = Duration.ofSeconds(25);

    @TempDir
    private static Path folder;

    private static FaultFleet fleet;

    @BeforeAll
    static void start() {
        fleet = FaultFleet.start(folder, List.of(), "cpu", FaultFleet.job(2));
        IntStream.range(0, WHOLE).forEach(_ -> fleet.startWorker());
    }

    static Stream<String> points() {
        return KillPoints.chosen();
    }

    @ParameterizedTest
    @MethodSource("points")
    void anotherWorkerEndsTheJobsOfAKilledOne(String point) throws Exception {
        Random random = new Random(SEED + point.hashCode());
        List<Duration> delays = new ArrayList<>();
        for (int killed = 0; killed < KILLS; ) {
            List<Victim> victims = IntStream.range(0, Math.min(AT_ONCE, KILLS - killed))
                    .mapToObj(_ -> fleet.startVictim(KillPoints.plan(point, random) + (FREEZE ? ":stop" : "")))
                    .toList();
            List<String> jobs = fleet.strike(victims, AT_ONCE);
            fleet.awaitFinished(jobs);
            delays.addAll(
                    point.equals(KillPoints.POLLED)
                            ? fleet.delaysOfPolled(victims, jobs)
                            : fleet.delays(victims, jobs));
            killed += victims.size();
            if (FREEZE) {
                wake(victims);
            }
        }
        fleet.check();
        FaultTable.add(
                (FREEZE ? "`SIGSTOP`, " : "`kill -9`, ") + point,
                KILLS,
                delays,
                "the checker finds nothing; the same SHA-256");
        if (!FREEZE) {
            assertThat(delays).allSatisfy(delay -> assertThat(delay).isLessThan(BOUND));
        }
    }

    private static void wake(List<Victim> victims) throws Exception {
        for (int i = 0; i < victims.size(); i++) {
            Victim victim = victims.get(i);
            if (i % 2 == 0) {
                Instant woken = Instant.now();
                victim.process().resume();
                Patience.await(victim + " to be idle: " + victim.process())
                        .until(() -> fleet.records()
                                .worker(victim.id())
                                .filter(received -> received.sent().isAfter(woken)
                                        && received.status().jobs().isEmpty())
                                .isPresent());
            }
            victim.process().kill();
        }
    }

    @AfterAll
    static void stop() {
        fleet.close();
    }
}
