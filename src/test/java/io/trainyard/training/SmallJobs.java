package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.io.TempDir;

/// Small jobs on the built-in dataset, on the CPU device, in the test's own folder.
@Slow
abstract class SmallJobs {
    /// Everything that carries state from step to step: momentum, dropout, batch norm, shuffling.
    private static final String LAYERS = """
            {"layers": [
              {"type": "conv2d", "out": 4, "kernel": 5, "stride": 3}, {"type": "batchNorm2d"}, {"type": "relu"},
              {"type": "maxPool2d", "kernel": 2}, {"type": "dropout", "p": 0.2}, {"type": "flatten"},
              {"type": "linear", "out": 10}]}""";

    @TempDir
    Path root;

    /// The events of all jobs of the test.
    final List<TrainingEvent> events = new ArrayList<>();

    private int stores;

    Outcome run(JobSpec job, BooleanSupplier stopRequested) {
        return run(new JobTraining(DataRoots.ofFolder(root), new DeviceSpec("cpu"), 0, "tester"), job, stopRequested);
    }

    /// Runs an attempt, and checks that its outcome matches the last event.
    Outcome run(JobTraining training, JobSpec job, BooleanSupplier stopRequested) {
        int before = events.size();
        Outcome outcome = training.run(job, folder(job.id()), Supervisor.of(events::add, stopRequested));
        switch (outcome) {
            case Outcome.Finished(var event) -> assertThat(events.getLast()).isSameAs(event);
            case Outcome.Failed(var event) -> assertThat(events.getLast()).isSameAs(event);
            case Outcome.Released(var event) -> assertThat(events.getLast()).isSameAs(event);
            case Outcome.Cancelled(var event) -> assertThat(events.getLast()).isSameAs(event);
            case Outcome.Expanded(var event) -> assertThat(events.getLast()).isSameAs(event);
            case Outcome.Paused(var event) -> assertThat(events.getLast()).isSameAs(event);
            case Outcome.WorkerFault(var event, boolean _) ->
                assertThat(events.getLast()).isSameAs(event);
            case Outcome.DeviceBusy(var event) -> assertThat(events.getLast()).isSameAs(event);
            case Outcome.DeviceLost(var event) -> assertThat(events.getLast()).isSameAs(event);
            case Outcome.Superseded(int attempt) -> assertThat(attempt).isPositive();
            case Outcome.Rejected _ -> assertThat(events).hasSize(before);
        }
        return outcome;
    }

    /// Trains a job to its end on the data of a folder, in a store of its own. Earlier events are forgotten.
    void train(Path data, String device, JobSpec job) {
        events.clear();
        CheckpointStore store =
                CheckpointStore.open(root.resolve("store-" + ++stores).toUri());
        Outcome outcome = new JobTraining(DataRoots.ofFolder(data), new DeviceSpec(device), 0, "tester")
                .run(job, new JobFolder(store, job.id()), Supervisor.of(events::add, () -> false));
        assertThat(outcome).as("%s", outcome).isInstanceOf(Outcome.Finished.class);
    }

    JobFolder folder(String job) {
        return new JobFolder(CheckpointStore.open(root.resolve("checkpoints").toUri()), job);
    }

    /// A job with this test's default network, dataset and batch size, unless `fields` sets them.
    static JobSpec job(String id, String fields) {
        StringBuilder json = new StringBuilder("{\"id\": \"%s\"".formatted(id));
        if (!fields.contains("\"network\"")) {
            json.append(", \"network\": ").append(LAYERS);
        }
        if (!fields.contains("\"dataset\"")) {
            json.append(", \"dataset\": \"shapes32\"");
        }
        String lastBatchSize = fields.replaceAll("\"batchSize\": 1500, (.*\"batchSize\")", "$1");
        return JobJson.read(
                json.append(", ").append(lastBatchSize).append("}").toString().getBytes(StandardCharsets.UTF_8));
    }

    /// Stops an attempt after this number of steps.
    static BooleanSupplier stopAfterQuestions(int allowed) {
        int[] questions = {0};
        return () -> ++questions[0] > allowed;
    }

    <T> List<T> of(Class<T> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    float[] losses() {
        int count =
                of(StepLosses.class).stream().mapToInt(e -> e.losses().length).sum();
        float[] all = new float[count];
        for (StepLosses e : of(StepLosses.class)) {
            System.arraycopy(e.losses(), 0, all, (int) e.firstStep() - 1, e.losses().length);
        }
        return all;
    }
}
