package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Packaged workers of two versions side by side. What is older is this build, told to understand no more than the
/// first contract of commands, and, from the first release on, the release before.
@DisabledOnOs(OS.WINDOWS)
final class UpgradeIT {
    private static final String[] PLAIN = {"--device", "reference"};

    /// What a worker of the first contract cannot know is said by these jobs.
    private static final String SPLIT = "\"split\": {\"test\": 0.25}";

    @TempDir
    private Path folder;

    /// On points of a plane, right of the middle or left of it.
    private String job(String id, String split, int epochs) {
        return """
            {"id": "%s", "dataset": {"name": "points"%s}, "epochs": %d, "batchSize": 4, "shuffle": true,
             "network": {"layers": [{"type": "linear", "out": 2}]}}""".formatted(id, split.isEmpty() ? "" : ", " + split, epochs);
    }

    private void makePoints() throws Exception {
        Path points = Files.createDirectories(folder.resolve("data/points"));
        Files.writeString(
                points.resolve("dataset.json"),
                "{\"kind\": \"csv\", \"label\": \"right\", \"classes\": 2, \"split\": {\"test\": 0.5}}");
        StringBuilder rows = new StringBuilder("x,y,right\n");
        for (int i = 0; i < 400; i++) {
            double x = Math.sin(i);
            rows.append("%.4f,%.4f,%d%n".formatted(x, Math.cos(3 * i), x > 0 ? 1 : 0));
        }
        Files.writeString(points.resolve("train.csv"), rows);
    }

    @Test
    void whatIsNewerWaitsForANewerWorkerAndAllElseGoesOn() throws Exception {
        makePoints();
        try (PackagedFleet fleet = PackagedFleet.of(folder, "upgrade.")) {
            fleet.startWorker("old", List.of("TRAINYARD_WORKER_CONTRACT=1"), PLAIN);
            fleet.awaitMembers();
            assertThat(fleet.submit(job("newer", SPLIT, 1)).exitStatus()).isZero();
            assertThat(fleet.submit(job("plain", "", 1)).exitStatus()).isZero();
            fleet.await(Topic.JOBS, "plain", Finished.class);
            assertThat(fleet.worker("old").errors() + fleet.worker("old").output())
                    .contains("job=newer", "waits for a worker that understands more than contract 1");

            fleet.startWorker("new-1", PLAIN);
            fleet.await(Topic.JOBS, "newer", Finished.class);
            assertThat(fleet.await(Topic.JOBS, "newer", Claimed.class).worker()).isEqualTo("new-1");

            assertThat(fleet.submit(job("long", SPLIT, 400)).exitStatus()).isZero();
            fleet.await(Topic.CHECKPOINTS, "long", CheckpointSaved.class);
            fleet.worker("new-1").terminate();
            fleet.worker("new-1").exitStatus();
            fleet.startWorker("new-2", PLAIN);
            Finished end = fleet.await(Topic.JOBS, "long", Finished.class);
            assertThat(end.attempt()).isEqualTo(2);
            fleet.checkAll(3); // none is a dead letter
        }
    }

    /// A job that uses nothing new, and does not end by itself, goes from the release before to this one, and back.
    @Test
    void theReleaseBeforeAndThisOneShareAFleet() throws Exception {
        Optional<Path> before = PreviousRelease.launcher();
        assumeTrue(before.isPresent(), "there is no release before this one: no tag v...");
        makePoints();
        try (PackagedFleet fleet = PackagedFleet.of(folder, "release.")) {
            fleet.startWorker(before.get(), "old", List.of(), PLAIN);
            fleet.awaitMembers();
            assertThat(fleet.submit(job("traveller", "", 100_000)).exitStatus()).isZero();
            awaitCheckpoint(fleet, 1, "old");
            fleet.startWorker("new", PLAIN);
            fleet.awaitMembers();
            fleet.worker("old").terminate();
            awaitCheckpoint(fleet, 2, "new");
            fleet.startWorker(before.get(), "old-2", List.of(), PLAIN);
            fleet.awaitMembers();
            fleet.worker("new").terminate();
            awaitCheckpoint(fleet, 3, "old-2");
            assertThat(fleet.start("cancel", "traveller").exitStatus()).isZero();
            assertThat(fleet.await(Topic.JOBS, "traveller", Cancelled.class).attempt())
                    .isEqualTo(3);
            fleet.checkAll(1);
        }
    }

    /// Waits until an attempt has saved one, and sees whose it is.
    private static void awaitCheckpoint(PackagedFleet fleet, int attempt, String worker) {
        var _ = fleet.read(
                Topic.CHECKPOINTS,
                records -> records.stream()
                        .map(record -> PackagedFleet.event(new String(record.value(), StandardCharsets.UTF_8)))
                        .anyMatch(event -> event.attempt() == attempt));
        var _ = fleet.read(
                Topic.JOBS,
                records -> records.stream()
                        .map(record -> PackagedFleet.event(new String(record.value(), StandardCharsets.UTF_8)))
                        .anyMatch(event -> event instanceof Claimed claimed
                                && claimed.attempt() == attempt
                                && claimed.worker().equals(worker)));
    }
}
