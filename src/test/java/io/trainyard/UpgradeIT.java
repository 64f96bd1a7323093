package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Claimed;
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

/// Packaged workers of two versions: the previous release, if there is one, and this build.
@DisabledOnOs(OS.WINDOWS)
final class UpgradeIT {
    private static final String[] PLAIN = {"--device", "reference"};

    @TempDir
    private Path folder;

    /// Trains on points of a plane, left or right of its centre.
    private String job(String id, int epochs) {
        return """
            {"id": "%s", "dataset": {"name": "points"}, "epochs": %d, "batchSize": 4, "shuffle": true,
             "network": {"layers": [{"type": "linear", "out": 2}]}}""".formatted(id, epochs);
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

    /// A job without new features, which does not end by itself, moves from the previous release to this build
    /// and back.
    @Test
    void theReleaseBeforeAndThisOneShareAFleet() throws Exception {
        Optional<Path> before = PreviousRelease.launcher();
        assumeTrue(before.isPresent(), "there is no release before this one: no tag v...");
        makePoints();
        try (PackagedFleet fleet = PackagedFleet.of(folder, "release.")) {
            fleet.startWorker(before.get(), "old", List.of(), PLAIN);
            fleet.awaitMembers();
            assertThat(fleet.submit(job("traveller", 100_000)).exitStatus()).isZero();
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

    /// Waits until the attempt has saved a checkpoint, and checks which worker runs it.
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
