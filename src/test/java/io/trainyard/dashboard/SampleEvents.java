package io.trainyard.dashboard;

import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Parameter;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Shape;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Events of jobs with ten classes, as a worker would send them.
final class SampleEvents {
    private SampleEvents() {}

    static Started started(String job, int attempt, int epochs, long firstStep, int stepsPerEpoch) {
        String command = """
                {"id": "%s", "network": "fashion", "dataset": "fashion-mnist", "epochs": %d, "batchSize": 64}""".formatted(job, epochs);
        return new Started(
                job,
                attempt,
                JobJson.read(command.getBytes(StandardCharsets.UTF_8)),
                "cpu",
                2,
                60_000,
                10_000,
                10,
                firstStep,
                stepsPerEpoch,
                List.of(new Parameter("out.bias", Shape.of(10), "cpu")),
                null);
    }

    /// A test of a checkpoint: it has no steps.
    static Started startedEvaluation(String job, CheckpointName initFrom) {
        String command = """
                {"id": "%s", "kind": "evaluate", "network": "fashion", "dataset": "fashion-mnist", "initFrom": "%s"}""".formatted(job, initFrom);
        JobSpec spec = JobJson.read(command.getBytes(StandardCharsets.UTF_8));
        return new Started(job, 1, spec, "cpu", 2, 60_000, 10_000, 10, 1, 0, List.of(), initFrom);
    }

    /// Losses that fall with the step, so that a step's loss says which step it was.
    static StepLosses losses(String job, int attempt, int epoch, long firstStep, int steps) {
        float[] losses = new float[steps];
        for (int i = 0; i < steps; i++) {
            losses[i] = lossOf(firstStep + i);
        }
        return new StepLosses(job, attempt, epoch, firstStep, losses, (firstStep + steps) * 800);
    }

    static float lossOf(long step) {
        return (float) (0.3 + 2 * Math.exp(-step / 400.0) + 0.1 * Math.sin(step * 12.9898) * Math.cos(step * 78.233));
    }

    static EpochTested tested(String job, int attempt, int epoch, long step, double accuracy) {
        int right = (int) Math.round(1000 * accuracy);
        int[][] confusion = new int[10][10];
        double[] classAccuracy = new double[10];
        for (int i = 0; i < 10; i++) {
            int mine = Math.min(1000, right + 7 * i - 30);
            confusion[i][i] = mine;
            confusion[i][(i + 3) % 10] = (1000 - mine) / 3;
            confusion[i][(i + 1) % 10] = 1000 - mine - (1000 - mine) / 3;
            classAccuracy[i] = mine / 1000.0;
        }
        return new EpochTested(
                job,
                attempt,
                epoch,
                step,
                2.3 - 2 * accuracy,
                157 * (2.3 - 2 * accuracy),
                accuracy,
                accuracy - 0.008,
                accuracy + 0.007,
                classAccuracy,
                confusion,
                9_000,
                800,
                6_543.2);
    }

    static CheckpointSaved saved(String job, int attempt, int epoch, long step) {
        return new CheckpointSaved(
                job,
                attempt,
                "file:/checkpoints/%s/%d/model-%d.safetensors".formatted(job, attempt, step),
                "ab12",
                180_000,
                epoch,
                step);
    }
}
