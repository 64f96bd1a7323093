package io.trainyard.faults;

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

/// Workers stand still at each named point. Others go on; every second one wakes when its job has ended elsewhere,
/// and the rest never do.
@Faults
@DisabledOnOs(OS.WINDOWS)
final class FreezeCampaignIT {
    private static final int STOPS = Integer.getInteger("faults.stops", 10);
    private static final int AT_ONCE = Integer.getInteger("faults.at-once", 5);
    private static final long SEED = Long.getLong("faults.seed", 1);

    @TempDir
    private static Path folder;

    private static FaultFleet fleet;

    @BeforeAll
    static void start() {
        fleet = FaultFleet.start(folder, List.of(), "cpu", FaultFleet.job(2));
        IntStream.range(0, AT_ONCE).forEach(_ -> fleet.startWorker());
    }

    static Stream<String> points() {
        return KillPoints.chosen();
    }

    @ParameterizedTest
    @MethodSource("points")
    void whatAWorkerLeavesThatStandsStillAnotherEnds(String point) throws Exception {
        Random random = new Random(SEED + point.hashCode());
        List<Duration> delays = new ArrayList<>();
        for (int stopped = 0; stopped < STOPS; ) {
            List<Victim> victims = IntStream.range(0, Math.min(AT_ONCE, STOPS - stopped))
                    .mapToObj(_ -> fleet.startVictim(KillPoints.plan(point, random) + ":stop"))
                    .toList();
            List<String> jobs = fleet.strike(victims, AT_ONCE);
            fleet.awaitFinished(jobs);
            delays.addAll(
                    point.equals(KillPoints.POLLED)
                            ? fleet.delaysOfPolled(victims, jobs)
                            : fleet.delays(victims, jobs));
            wake(victims);
            stopped += victims.size();
        }
        fleet.check();
        FaultTable.add("`SIGSTOP`, " + point, STOPS, delays, "the checker finds nothing; the same SHA-256");
    }

    private void wake(List<Victim> victims) throws Exception {
        for (int i = 0; i < victims.size(); i++) {
            Victim victim = victims.get(i);
            if (i % 2 == 0) {
                Instant woken = Instant.now();
                victim.process().resume();
                Patience.await(victim + " to be idle: " + victim.process())
                        .until(() -> fleet.news()
                                .worker(victim.id())
                                .filter(heard -> heard.sent().isAfter(woken)
                                        && heard.status().jobs().isEmpty())
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
