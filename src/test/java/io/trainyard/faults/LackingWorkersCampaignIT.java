package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.data.GreyImages;
import io.trainyard.event.TrainingEvent.Failed;
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

    @TempDir
    private Path folder;

    private FaultFleet fleet;

    @BeforeEach
    void start() throws IOException {
        GreyImages.write(folder.resolve("data/mnist"));
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

    @AfterEach
    void stop() {
        fleet.close();
    }
}
