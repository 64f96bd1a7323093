package io.trainyard.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Metric;
import io.trainyard.training.JobTraining;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Trains sweeps in one process: once with all trials to their end, once with halving.
class HalvingTrainingTest {
    private static final String NETWORK = """
            {"layers": [{"type": "maxPool2d", "kernel": 2}, {"type": "flatten"}, {"type": "linear", "out": 32},
             {"type": "relu"}, {"type": "linear", "out": 10}]}""";

    @TempDir
    private Path folder;

    /// The results of all trials.
    private record Swept(Map<String, JobState> states, Map<String, String> parameters, long steps) {
        SweepView view() {
            return SweepView.ofStates("grid", states.values());
        }
    }

    private static List<JobSpec> trials(String dataset, int epochs, String asha, String sweep) {
        return Trials.of(JobJson.read(
                """
                {"id": "grid", "network": %s, "dataset": %s, "epochs": %d, "shuffle": true, "device": "cpu", "keepLast": 1,
                 "optimizer": {"type": "sgd", "learningRate": 0.1}, "asha": %s, "sweep": %s}""".formatted(NETWORK, dataset, epochs, asha, sweep).getBytes(StandardCharsets.UTF_8)));
    }

    /// Runs commands in order, as a fleet of one worker does; resumed trials come after waiting ones.
    ///
    /// @param halves whether trials are paused at rungs
    private Swept sweep(List<JobSpec> trials, boolean halves) {
        CheckpointStore store = CheckpointStore.open(
                folder.resolve(halves ? "halving" : "whole").toUri());
        JobTraining training = new JobTraining(DataRoots.ofFolder(folder), DeviceSpec.AUTO, 1, "w");
        SuccessiveHalving halving = new SuccessiveHalving(store);
        Map<String, JobState> states = new LinkedHashMap<>();
        Map<String, String> parameters = new HashMap<>();
        long[] steps = {0};
        Queue<JobSpec> waiting = new ArrayDeque<>(trials);
        Map<String, JobSpec> paused = new LinkedHashMap<>();
        while (!waiting.isEmpty()) {
            JobSpec job = waiting.remove();
            JobState state = states.computeIfAbsent(job.id(), JobState::new);
            state.apply(new Requested(job.id(), job, "queue", 1));
            Outcome outcome = training.run(job, new JobFolder(store, job.id()), new Supervisor() {
                @Override
                public void publish(TrainingEvent event, Instant time) {
                    state.apply(event);
                    steps[0] += event instanceof StepLosses published ? published.losses().length : 0;
                    if (event instanceof Finished finished) {
                        parameters.put(finished.job(), finished.parametersSha256());
                    }
                }

                @Override
                public Optional<Halt> halt() {
                    return Optional.empty();
                }

                @Override
                public boolean heedsRungs() {
                    return halves;
                }
            });
            if (outcome instanceof Outcome.Paused) {
                paused.put(job.id(), job);
            }
            halving.goOn(List.copyOf(paused.values())).forEach(id -> waiting.add(paused.remove(id)));
        }
        return new Swept(states, parameters, steps[0]);
    }

    @Test
    void aPausedAndResumedJobEndsWithTheSameParameters() {
        List<JobSpec> trials = trials(
                "\"shapes28\"",
                4,
                "{\"minEpochs\": 1, \"reductionFactor\": 2}",
                "{\"optimizer.learningRate\": [0.001, 0.3, 0.1, 100, 0.03]}");
        Swept whole = sweep(trials, false);
        Swept halved = sweep(trials, true);
        assertThat(halved.parameters()).isNotEmpty();
        assertThat(whole.parameters()).containsAllEntriesOf(halved.parameters());
        assertThat(halved.parameters().keySet())
                .as("it rested first, for it was the first to be asked")
                .anySatisfy(job -> assertThat(
                                Objects.requireNonNull(halved.states().get(job)).attempt())
                        .isGreaterThan(1));
        assertThat(halved.steps()).isLessThan(whole.steps());
        assertThat(halved.states().get("grid.1-lr0.001")).satisfies(isPaused -> {
            assertThat(isPaused.status()).isEqualTo(Status.PAUSED);
            assertThat(isPaused.rung()).isEqualTo(1);
            assertThat(isPaused.reason()).startsWith("after 1 epochs its accuracy is 0.");
        });
        assertThat(halved.view().trials().getFirst().job())
                .isEqualTo(whole.view().trials().getFirst().job());
    }

    /// The rung's results and the order of trials are the macro F1.
    @Test
    void comparesByTheChosenMetric() {
        List<JobSpec> trials = trials(
                "\"shapes28\"",
                2,
                "{\"minEpochs\": 1, \"reductionFactor\": 2}",
                "{\"optimizer.learningRate\": [0.001, 0.3, 0.1], \"metric\": [\"macroF1\"]}");
        Swept halved = sweep(trials, true);
        assertThat(halved.view().metric()).isEqualTo(Metric.MACRO_F1);
        assertThat(halved.states().values())
                .filteredOn(state -> state.status() == Status.PAUSED)
                .isNotEmpty()
                .allSatisfy(state -> assertThat(state.reason()).startsWith("after 1 epochs its macro F1 is 0."));
        SweepView.Trial best = halved.view().trials().getFirst();
        assertThat(best.best())
                .isEqualTo(Objects.requireNonNull(halved.states().get(best.job())).epochs().stream()
                        .mapToDouble(epoch -> Objects.requireNonNull(epoch.metricValue()))
                        .max()
                        .orElseThrow());
    }

    /// Trials are compared by the validation part, and only those that reach their end measure the test part.
    @Test
    void comparesByTheValidationPart() {
        List<JobSpec> trials = trials(
                "{\"name\": \"shapes28\", \"split\": {\"validation\": 0.2}}",
                4,
                "{\"minEpochs\": 1, \"reductionFactor\": 2}",
                "{\"optimizer.learningRate\": [0.001, 0.3, 0.1, 100, 0.03], \"sampler\": [\"balanced\"], \"shuffle\": [false]}");
        Swept whole = sweep(trials, false);
        Swept halved = sweep(trials, true);
        assertThat(halved.parameters()).isNotEmpty();
        assertThat(whole.parameters()).containsAllEntriesOf(halved.parameters());
        assertThat(halved.steps()).isLessThan(whole.steps());
        assertThat(halved.states().values()).allSatisfy(state -> {
            assertThat(state.epochs()).extracting(JobState.Epoch::part).containsOnly(Part.VALIDATION);
            assertThat(state.test() != null).isEqualTo(state.status() == Status.FINISHED);
            if (state.status() == Status.PAUSED) {
                assertThat(state.reason())
                        .startsWith(String.format(
                                Locale.ROOT,
                                "after %d epochs its accuracy is %.4f, ",
                                state.rung(),
                                state.testAccuracy()));
            }
        });
    }
}
