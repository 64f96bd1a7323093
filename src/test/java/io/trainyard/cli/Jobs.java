package io.trainyard.cli;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Jobs of two epochs of ten steps each, told about every five, and what is heard of them.
public final class Jobs {
    private Jobs() {}

    public static JobSpec spec(String id) {
        return JobJson.read("""
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 2, "batchSize": 8,
                 "reportEverySteps": 5}""".formatted(id).getBytes(StandardCharsets.UTF_8));
    }

    public static TrainingEvent claimed(String id) {
        return new Claimed(id, 1, "w1", "cpu");
    }

    public static TrainingEvent started(JobSpec spec, int attempt, long firstStep) {
        return new Started(spec.id(), attempt, spec, "cpu", 1, 80, 40, 10, firstStep, 10, List.of(), null);
    }

    public static TrainingEvent losses(String id, int attempt, int epoch, long firstStep, int count) {
        float[] losses = new float[count];
        for (int i = 0; i < count; i++) {
            losses[i] = 3 - 0.1f * (firstStep + i);
        }
        return new StepLosses(id, attempt, epoch, firstStep, losses, 100_000 * (firstStep + count - 1));
    }

    public static TrainingEvent tested(String id, int epoch) {
        return new EpochTested(
                id,
                1,
                epoch,
                10L * (epoch + 1),
                1.85,
                9.25,
                0.5 + epoch / 4.0,
                0.4 + epoch / 4.0,
                0.6 + epoch / 4.0,
                new double[10],
                new int[10][10],
                1000,
                100,
                80);
    }

    public static TrainingEvent finished(String id) {
        return new Finished(id, 1, 20, 0.75, 100_000, 110_000, 120_000, 2000, "00", null);
    }

    /// All of a job that finishes.
    public static List<TrainingEvent> whole(String id) {
        return List.of(
                claimed(id),
                started(spec(id), 1, 1),
                losses(id, 1, 0, 1, 10),
                tested(id, 0),
                losses(id, 1, 1, 11, 10),
                tested(id, 1),
                finished(id));
    }
}
