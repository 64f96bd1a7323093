package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The broker goes away and comes back: training goes on through it, in the same attempt.
@Faults
@DisabledOnOs(OS.WINDOWS)
final class OutageCampaignIT {
    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set by each test
    private FaultFleet fleet;

    /// @param epochs so many that the job outlasts the outage
    @ParameterizedTest
    @CsvSource({"false, 5, 30", "true, 5, 30", "false, 90, 120", "true, 90, 120"})
    void trainingGoesOnWhileTheBrokerIsAway(boolean kill, int seconds, int epochs) throws Exception {
        fleet = FaultFleet.start(folder, List.of(), "cpu", FaultFleet.job(epochs));
        String holder = fleet.startWorker();
        fleet.startWorker();
        fleet.fleet().awaitMembers();
        String job = fleet.submit(1).getFirst();
        var _ = fleet.news().await(job, CheckpointSaved.class);
        if (kill) {
            fleet.fleet().broker().kill();
        } else {
            fleet.fleet().broker().terminate();
        }
        var _ = fleet.fleet().broker().exitStatus();
        Instant gone = Instant.now();
        Thread.sleep(Duration.ofSeconds(seconds)); // the outage itself
        Instant back = Instant.now();
        fleet.fleet().restartBroker();
        fleet.awaitFinished(List.of(job));

        assertThat(fleet.news().of(job, TrainingEvent.class))
                .as(holder)
                .extracting(TrainingEvent::attempt)
                .containsOnly(1);
        assertThat(fleet.news().of(job))
                .as("steps while the broker was away")
                .anyMatch(heard -> heard.event() instanceof StepLosses
                        && heard.time().isAfter(gone.plusSeconds(seconds / 2))
                        && heard.time().isBefore(back));
        fleet.check();
        FaultTable.add(
                "the broker away for %d s, %s".formatted(seconds, kill ? "`kill -9`" : "stopped"),
                1,
                List.of(),
                "one attempt, steps all the while; the checker finds nothing; the same SHA-256");
    }

    @AfterEach
    void stop() {
        fleet.close();
    }
}
