package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.event.TrainingEvent.Failed;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Of four workers one lacks the data set and one has another store: no job fails for it, and both say why they take
/// none.
@Faults
@DisabledOnOs(OS.WINDOWS)
final class LackingWorkersCampaignIT {
    private static final int JOBS = Integer.getInteger("faults.lacking.jobs", 12);
    private static final int IMAGES = 64;
    private static final int SIDE = 28;
    private static final int CLASSES = 10;

    @TempDir
    private Path folder;

    private FaultFleet fleet;

    @BeforeEach
    void start() throws IOException {
        writeMnist(folder.resolve("data/mnist"));
        Files.createDirectory(folder.resolve("empty"));
        fleet = FaultFleet.start(folder, List.of(), "cpu", """
            {"id": "%s", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]},
             "dataset": "mnist", "epochs": 300, "batchSize": 1}""");
    }

    @Test
    void noJobFailsForWhatAWorkerLacks() throws Exception {
        fleet.startWorker();
        fleet.startWorker();
        fleet.fleet().awaitMembers();
        String poor = fleet.startWorker("--data", "empty");
        String stranger = fleet.startWorker("--checkpoints", "elsewhere");
        awaitProblem(stranger, "its checkpoint store", () -> {});
        List<String> jobs = new ArrayList<>(fleet.submit(JOBS));
        awaitProblem(
                poor,
                "mnist",
                () -> { // the others may be quicker
                    if (jobs.stream().allMatch(id -> fleet.news().finished(id).isPresent())) {
                        jobs.addAll(fleet.submit(JOBS));
                    }
                });
        fleet.awaitFinished(jobs);
        assertThat(jobs)
                .allSatisfy(
                        job -> assertThat(fleet.news().of(job, Failed.class)).isEmpty());
        fleet.check();
        FaultTable.add(
                "of four workers one without the data set, one with another store",
                jobs.size(),
                List.of(),
                "no job fails; both say in their heartbeats why they take none; the checker finds nothing");
    }

    /// @param meanwhile is done again and again
    private void awaitProblem(String worker, String what, Runnable meanwhile) {
        Patience.await("%s to say what it lacks: %s".formatted(worker, fleet.fleet()))
                .until(() -> {
                    meanwhile.run();
                    return fleet.news()
                            .worker(worker)
                            .map(heard -> heard.status().problem())
                            .filter(problem -> problem.contains(what))
                            .isPresent();
                });
    }

    /// Grey pictures, a shade for each class, in MNIST's format.
    private static void writeMnist(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (String part : List.of("train", "t10k")) {
            try (var images = new DataOutputStream(Files.newOutputStream(folder.resolve(part + "-images-idx3-ubyte")));
                    var labels =
                            new DataOutputStream(Files.newOutputStream(folder.resolve(part + "-labels-idx1-ubyte")))) {
                for (int header : new int[] {0x803, IMAGES, SIDE, SIDE}) {
                    images.writeInt(header);
                }
                labels.writeInt(0x801);
                labels.writeInt(IMAGES);
                for (int image = 0; image < IMAGES; image++) {
                    labels.write(image % CLASSES);
                    for (int pixel = 0; pixel < SIDE * SIDE; pixel++) {
                        images.write(image % CLASSES * 25);
                    }
                }
            }
        }
    }

    @AfterEach
    void stop() {
        fleet.close();
    }
}
