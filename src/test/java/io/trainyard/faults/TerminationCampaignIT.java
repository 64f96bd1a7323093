package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Workers are told to stop, as Kubernetes does it, at steps drawn from a seed; another goes on at once, and computes
/// no step that was computed before.
@Faults
@DisabledOnOs(OS.WINDOWS)
final class TerminationCampaignIT {
    private static final int TERMINATIONS = Integer.getInteger("faults.terminations", 50);
    private static final long SEED = Long.getLong("faults.seed", 1);
    private static final int AT_ONCE = Integer.getInteger("faults.at-once", 1);
    private static final int SIGTERM_STATUS = 128 + 15;

    /// From SIGTERM to the next attempt's first step.
    private static final Duration BOUND = Duration.ofSeconds(2);

    private static final int EPOCHS = 4;
    private static final int STEPS = EPOCHS * 1600;

    @TempDir
    private Path folder;

    private FaultFleet fleet;

    @BeforeEach
    void start() {
        fleet = FaultFleet.start(folder, List.of(), "cpu", FaultFleet.job(EPOCHS));
    }

    @Test
    void whatAWorkerGivesBackAnotherGoesOnWithAtOnce() {
        Random random = new Random(SEED);
        List<Duration> delays = new ArrayList<>();
        while (delays.size() < TERMINATIONS) {
            IntStream.range(fleet.fleet().running().size(), 2 * AT_ONCE).forEach(_ -> fleet.startWorker());
            fleet.fleet().awaitMembers();
            List<String> jobs = fleet.submit(Math.min(AT_ONCE, TERMINATIONS - delays.size()));
            Map<String, Instant> told = new LinkedHashMap<>();
            Map<String, Long> steps = new LinkedHashMap<>();
            jobs.forEach(job -> steps.put(job, (long) random.nextInt(STEPS * 3 / 4)));
            List<TrainyardProcess> stopping = new ArrayList<>();
            Patience.await("steps of " + steps)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> {
                        jobs.stream()
                                .filter(job -> !told.containsKey(job) && hasTold(job, steps.getOrDefault(job, 0L)))
                                .forEach(job -> {
                                    var holder = fleet.fleet()
                                            .worker(fleet.news()
                                                    .of(job, Claimed.class)
                                                    .getFirst()
                                                    .worker());
                                    told.put(job, Instant.now());
                                    holder.terminate();
                                    stopping.add(holder);
                                });
                        return told.size() == jobs.size();
                    });
            stopping.forEach(worker -> assertThat(worker.exitStatus()).isEqualTo(SIGTERM_STATUS));
            fleet.awaitFinished(jobs);
            jobs.forEach(job -> {
                assertThat(fleet.news().stepsOf(job))
                        .as(job)
                        .containsExactlyInAnyOrderElementsOf(
                                LongStream.rangeClosed(1, STEPS).boxed().toList());
                delays.add(Duration.between(
                        told.get(job), fleet.news().firstStepAfter(job, 1).orElseThrow()));
            });
        }
        fleet.check();
        FaultTable.add(
                "`SIGTERM` at a random step",
                TERMINATIONS,
                delays,
                "no step twice; the checker finds nothing; the same SHA-256");
        assertThat(delays).allSatisfy(delay -> assertThat(delay).isLessThan(BOUND));
    }

    private boolean hasTold(String job, long step) {
        return fleet.news().of(job, StepLosses.class).stream().anyMatch(losses -> losses.lastStep() >= step);
    }

    @AfterEach
    void stop() {
        fleet.close();
    }
}
