package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Jobs from command to end on GPUs, through the packaged application and JCuda, on the fake CUDA libraries.
@DisabledOnOs(OS.WINDOWS)
final class GpuFleetIT {
    private static final Path FAKE_CUDA = Path.of("target/fake-cuda").toAbsolutePath();

    @TempDir
    private Path folder;

    @BeforeAll
    static void requireDouble() {
        assumeTrue(Files.exists(FAKE_CUDA.resolve("libcuda.so.1")), "the fake CUDA libraries are not built");
    }

    /// 2 epochs of 75 steps with dropout masks and shuffling.
    private static String job(String id, String device) {
        return """
            {"id": "%s", %s, "dataset": "shapes64", "epochs": 2, "batchSize": 32, "shuffle": true, "seed": 5,
             "optimizer": {"type": "sgd", "learningRate": 0.05, "momentum": 0.9}, "network": {"layers": [
                {"type": "conv2d", "out": 4, "kernel": 8, "stride": 8}, {"type": "relu"},
                {"type": "maxPool2d", "kernel": 2}, {"type": "flatten"}, {"type": "dropout", "p": 0.2},
                {"type": "linear", "out": 6}]}}""".formatted(id, device);
    }

    @Test
    void jobsRunOnTheirDevicesWithEqualNumbers() {
        try (PackagedFleet fleet = PackagedFleet.of(folder, "gpus.")) {
            fleet.startWorker("processors", "--device", "cpu");
            fleet.startWorker("gpus", List.of("CUDA_LIBRARIES=" + FAKE_CUDA), "--device", "cuda");
            fleet.awaitMembers();
            fleet.send(job("on-cpu", "\"device\": \"cpu\""), Priority.NORMAL);
            fleet.send(job("on-gpu", "\"device\": \"cuda\""), Priority.NORMAL);
            fleet.send(job("on-two", "\"devices\": [\"cuda:0\", \"cuda:1\"]"), Priority.NORMAL);
            for (String job : List.of("on-cpu", "on-gpu", "on-two")) {
                fleet.await(Topic.JOBS, job, Finished.class);
            }
            List<TrainingEvent> events = fleet.events();
            assertThat(events)
                    .filteredOn(Claimed.class::isInstance)
                    .map(event -> (Claimed) event)
                    .extracting(event -> "%s by %s on %s".formatted(event.job(), event.worker(), event.device()))
                    .containsExactlyInAnyOrder(
                            "on-cpu by processors on cpu",
                            "on-gpu by gpus on cuda:0",
                            "on-two by gpus on cuda:0+cuda:1");
            List<Float> expected = losses(events, "on-cpu");
            assertThat(expected).hasSizeGreaterThan(100);
            for (String job : List.of("on-gpu", "on-two")) {
                List<Float> actual = losses(events, job);
                assertThat(actual).hasSameSizeAs(expected);
                for (int i = 0; i < 50; i++) { // later, rounding differences have grown
                    assertThat(actual.get(i))
                            .as("loss %d of %s", i, job)
                            .isCloseTo(expected.get(i), Percentage.withPercentage(0.1));
                }
            }
        }
    }

    private static List<Float> losses(List<TrainingEvent> events, String job) {
        List<Float> losses = new ArrayList<>();
        for (TrainingEvent event : events) {
            if (event instanceof StepLosses steps && steps.job().equals(job)) {
                for (float loss : steps.losses()) {
                    losses.add(loss);
                }
            }
        }
        return losses;
    }

    /// Fails in the second epoch; the capture run of a session also counts.
    private static final String LOSS = "TRAINYARD_FAKE_FAIL=kernel sgd:110:719";

    @Test
    void aWorkerExitsAfterAGpuLossAndAnotherOneResumesItsJob() {
        try (PackagedFleet fleet = PackagedFleet.of(folder, "loss.")) {
            fleet.startWorker("broken", List.of("CUDA_LIBRARIES=" + FAKE_CUDA, LOSS), "--device", "cuda");
            fleet.awaitMembers();
            fleet.send(job("job", "\"device\": \"cuda\""), Priority.NORMAL);
            TrainyardProcess broken = fleet.worker("broken");
            assertThat(broken.exitStatus()).as(broken.toString()).isEqualTo(1);
            assertThat(broken.errors())
                    .contains("worker=broken has lost its device, which this process cannot use any more");
            fleet.startWorker("whole", List.of("CUDA_LIBRARIES=" + FAKE_CUDA), "--device", "cuda");
            fleet.await(Topic.JOBS, "job", Finished.class);
            assertThat(fleet.events())
                    .filteredOn(Started.class::isInstance)
                    .extracting(event -> ((Started) event).firstStep())
                    .containsExactly(1L, 76L);
        }
    }
}
