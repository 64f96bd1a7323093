package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.trainyard.PackagedFleet;
import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.topics.KafkaRole;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Workers that can fetch commands but not publish ownership. Each delivery counts, and brokers drop a command
/// after ten of them.
class ClaimGateIT {
    /// Without the gate, several deliveries happened in less time.
    private static final long WHILE_MILLIS = 12_000;

    private static final String JOB = """
            {"id": "job", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]},
             "dataset": "shapes32", "epochs": 1}""";

    @TempDir
    private Path folder;

    private ChainLink.Owner firstOwner(String job) {
        CheckpointStore store =
                CheckpointStore.openToRead(folder.resolve("checkpoints").toUri());
        return (ChainLink.Owner) new JobFolder(store, job).link(1).orElseThrow();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aWorkerWhoseClockIsTwoHoursAheadLeavesTheJobToAnother() throws Exception {
        Path clock = folder.resolve("clock.so");
        Process compiler = new ProcessBuilder(
                        "sh", "-c", "cc -shared -fPIC -o \"$1\" src/test/native/clock.c -ldl", "sh", clock.toString())
                .inheritIO()
                .start();
        assertThat(compiler.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assumeThat(compiler.exitValue()).as("a C compiler, cc").isZero();
        try (PackagedFleet fleet = PackagedFleet.of(folder, "ahead.")) {
            fleet.startWorker("ahead", List.of("LD_PRELOAD=" + clock, "CLOCK_AHEAD=7200"));
            fleet.worker("ahead").await("its clock is 7[0-9]{3} s ahead of the brokers' clock");
            fleet.send(JOB, Priority.NORMAL);
            Thread.sleep(WHILE_MILLIS);
            fleet.startWorker("right");
            fleet.await(Topic.JOBS, "job", Finished.class);
            assertThat(firstOwner("job").worker()).isEqualTo("right");
            assertThat(firstOwner("job").delivery()).isEqualTo(1);
            fleet.check("job");
        }
    }

    /// The worker has no permission at its start, and loses it again when it is idle.
    @Test
    void aCommandOutlivesAWorkerThatMayNotWriteOwnership() throws Exception {
        try (PackagedFleet fleet = PackagedFleet.secured(folder)) {
            String ownership = fleet.name(Topic.OWNERSHIP);
            fleet.secureBroker().denyWrite(KafkaRole.WORKER, ownership);
            fleet.startWorker("w");
            fleet.worker("w").await("the brokers refuse its records of ownership.*TopicAuthorizationException");
            fleet.send(JOB, Priority.NORMAL);
            Thread.sleep(WHILE_MILLIS);
            fleet.secureBroker().undenyWrite(KafkaRole.WORKER, ownership);
            fleet.await(Topic.JOBS, "job", Finished.class);
            assertThat(firstOwner("job").delivery()).isEqualTo(1);

            fleet.secureBroker().denyWrite(KafkaRole.WORKER, ownership);
            fleet.send(JOB.replace("\"job\"", "\"later\""), Priority.NORMAL);
            Thread.sleep(WHILE_MILLIS);
            fleet.secureBroker().undenyWrite(KafkaRole.WORKER, ownership);
            assertThat(fleet.await(Topic.JOBS, "later", Finished.class).attempt())
                    .isLessThanOrEqualTo(3);
            fleet.checkAll(2);
        }
    }
}
