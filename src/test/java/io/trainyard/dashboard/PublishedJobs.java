package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.on;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;

import io.trainyard.PackagedFleet;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import io.trainyard.topics.Priority;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Example jobs in every state. For states that a worker cannot be made to reach, events are written as a
/// worker would.
final class PublishedJobs {
    static final String HOSTILE = "<img src=x onerror=\"document.title='taken'\"><script>alert(1)</script>";

    private PublishedJobs() {}

    static void publish(PackagedFleet fleet, EventPublisher publisher) throws Exception {
        // There is no GPU here, so the job waits.
        fleet.send("""
                {"id": "waits", "network": "fashion", "dataset": "shapes28", "epochs": 1, "device": "cuda"}""", Priority.NORMAL);
        publisher.reject("mistyped", "{\"id\": ", "it is not JSON: it ends too early");
        publisher.send(claimed("hostile", 1, "w9"), failed("hostile", 1, HOSTILE));
        publisher.send(
                claimed("diverges", 1, "w9"),
                started(fashion("diverges", 5), 1, 1, 938, null),
                losses("diverges", 1, 0, 1, diverging(600)),
                failed("diverges", 1, "the loss is not a number since step 412"));
        publishMoved(publisher);
        publishOtherData(publisher);
        publishProjects(fleet, publisher);
        publishSweep(fleet, publisher);
        publisher.send(
                claimed("done", 1, "w9"),
                on("cuda:0", "NVIDIA H100 80GB HBM3", started(fashion("done", 2), 1, 1, 100, null)),
                losses("done", 1, 0, 1, curve(1, 200)),
                tested("done", 1, 0, 100, 0.7),
                tested("done", 1, 1, 200, 0.912),
                saved("done", 1, 1, 200),
                finished("done", 1, 200, "test accuracy 0.912 reached 0.9"));
    }

    /// Its accuracy is of other samples than that of the other jobs.
    private static void publishOtherData(EventPublisher publisher) throws Exception {
        JobSpec job = JobJson.read("""
                {"id": "other-data", "network": "fashion", "dataset": "shapes28", "epochs": 1}""".getBytes(StandardCharsets.UTF_8));
        publisher.send(claimed(job.id(), 1, "w9"), started(job, 1, 1, 100, null), tested(job.id(), 1, 0, 100, 0.99));
    }

    /// A running job of one project, and a job of another project at its quota.
    private static void publishProjects(PackagedFleet fleet, EventPublisher publisher) throws Exception {
        publisher.send(
                claimed("seen", 1, "w9"),
                started(ofProject("seen", "vision"), 1, 1, 938, null),
                losses("seen", 1, 0, 1, curve(1, 50)));
        fleet.send("""
                {"id": "heard", "network": "fashion", "dataset": "shapes28", "epochs": 1, "device": "cuda",
                 "optimizer": {"type": "adam"}, "project": "speech"}""", Priority.NORMAL);
    }

    /// A sweep that waits for a GPU, and one of 24 trials: most are paused after an epoch, and some continue.
    private static void publishSweep(PackagedFleet fleet, EventPublisher publisher) throws Exception {
        fleet.send("""
                {"id": "later", "network": "fashion", "dataset": "shapes28", "epochs": 1, "device": "cuda", "sweep": {"batchSize": [8, 16]}}""", Priority.NORMAL);
        publisher.send(claimed("rates", 1, "w9"), new TrainingEvent.Expanded("rates", 1, 24));
        List<JobSpec> trials = Trials.of(JobJson.read("""
                {"id": "rates", "network": "fashion", "dataset": "fashion-mnist", "epochs": 4, "device": "cuda", "asha": {}, "sweep":
                 {"optimizer.learningRate": [1, 0.1, 0.01, 0.0005], "optimizer.momentum": [0, 0.9], "batchSize": [32, 64, 128]}}""".getBytes(StandardCharsets.UTF_8)));
        fleet.send(trials, Priority.NORMAL);
        for (int i = 0; i < trials.size(); i++) {
            JobSpec trial = trials.get(i);
            double accuracy = 0.9 - 0.13 * Math.abs(i / 6 - 1.2) - 0.01 * (i % 6);
            publisher.send(
                    claimed(trial.id(), 1, "w9"),
                    started(trial, 1, 1, 938, null),
                    losses(trial.id(), 1, 0, 1, curve(1, 50)),
                    tested(trial.id(), 1, 0, 938, accuracy));
            if (i % 4 == 0) {
                publisher.send(tested(trial.id(), 1, 1, 1876, accuracy + 0.03));
            } else {
                publisher.send(new TrainingEvent.Paused(trial.id(), 1, 938, 1, "others of its group are better"));
            }
        }
    }

    /// A job that one worker released and another one continued.
    private static void publishMoved(EventPublisher publisher) throws Exception {
        publisher.send(
                claimed("moved", 1, "w8"),
                started(fashion("moved", 5), 1, 1, 938, null),
                losses("moved", 1, 0, 1, curve(1, 938)),
                tested("moved", 1, 0, 938, 0.71),
                saved("moved", 1, 0, 938),
                released("moved", 1, 938, "the worker stops"),
                claimed("moved", 2, "w9"),
                started(fashion("moved", 5), 2, 939, 938, null),
                losses("moved", 2, 1, 939, curve(939, 938)),
                tested("moved", 2, 1, 1876, 0.79),
                losses("moved", 2, 2, 1877, curve(1877, 412)));
    }

    private static JobSpec ofProject(String job, String project) {
        return JobJson.read("""
                {"id": "%s", "network": "fashion", "dataset": "fashion-mnist", "epochs": 2, "project": "%s"}""".formatted(job, project).getBytes(StandardCharsets.UTF_8));
    }

    static JobSpec fashion(String job, int epochs) {
        return JobJson.read("""
                {"id": "%s", "network": "fashion", "dataset": "fashion-mnist", "epochs": %d, "batchSize": 64}""".formatted(job, epochs).getBytes(StandardCharsets.UTF_8));
    }

    /// Losses like those of a real training run, for screenshots.
    static float[] curve(long firstStep, int steps) {
        float[] losses = new float[steps];
        for (int i = 0; i < steps; i++) {
            long step = firstStep + i;
            losses[i] = (float)
                    (0.3 + 2 * Math.exp(-step / 400.0) + 0.1 * Math.sin(step * 12.9898) * Math.cos(step * 78.233));
        }
        return losses;
    }

    private static float[] diverging(int steps) {
        float[] losses = curve(1, steps);
        for (int i = 411; i < steps; i++) {
            losses[i] = Float.NaN;
        }
        return losses;
    }
}
