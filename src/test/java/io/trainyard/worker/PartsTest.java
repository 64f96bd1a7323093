package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.device.gang.Port;
import io.trainyard.event.Control.Wish;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.topics.Topic;
import io.trainyard.training.JobTraining;
import io.trainyard.training.PartTraining;
import io.trainyard.training.Partners;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Workers that train a job together, as its message says.
@Slow
class PartsTest {
    private static final String TOGETHER = "{\"workers\": 2}";
    private static final String JOB = """
            {"id": "%s", "dataset": "shapes28", "epochs": %d, "batchSize": 100, "devices": %s,
             "optimizer": {"type": "sgd", "learningRate": 0.05, "momentum": 0.9},
             "network": {"layers": [{"type": "conv2d", "out": 8, "kernel": 3}, {"type": "batchNorm2d"}, {"type": "relu"},
                                    {"type": "maxPool2d", "kernel": 2}, {"type": "flatten"}, {"type": "linear", "out": 10}]}}
            """;

    @TempDir
    private Path data;

    private final Fleet fleet = new Fleet();
    private final Map<String, FleetWorker> workers = new HashMap<>();

    @AfterEach
    void close() {
        fleet.close();
    }

    private void start(String worker, Duration within) {
        Partners partners = new Partners(worker, 1, new Port("127.0.0.1", 0), new byte[32], within);
        JobTraining training = training(worker).with(partners);
        workers.put(
                worker,
                fleet.start(
                        new FleetWorker.Setup(worker, Set.of("cpu"), fleet.outbox)
                                .taking(new ClaimLoop.TakingParts(new PartTraining(training, partners)::train, within)),
                        runner(training)));
    }

    private JobTraining training(String worker) {
        return new JobTraining(DataRoots.ofFolder(data), new DeviceSpec("cpu"), 2, worker);
    }

    private JobRunner runner(JobTraining training) {
        return (job, attempt, supervisor) ->
                training.attempt(job, new JobFolder(fleet.store, job.id()), attempt, supervisor);
    }

    private void submit(String id, int epochs, String devices) {
        fleet.submit(
                Topic.CPU_COMMANDS_NORMAL,
                id,
                JOB.formatted(id, epochs, devices).getBytes(StandardCharsets.UTF_8));
    }

    private List<TrainingEvent> untilFinished(int count) {
        return fleet.eventsUntilFinished(count);
    }

    private TrainingEvent await(Predicate<TrainingEvent> event) {
        return fleet.events(events -> events.stream().anyMatch(event)).stream()
                .filter(event)
                .findFirst()
                .orElseThrow();
    }

    private static <T extends TrainingEvent> T last(List<TrainingEvent> events, String job, Class<T> type) {
        return events.stream()
                .filter(event -> event.job().equals(job) && type.isInstance(event))
                .map(type::cast)
                .toList()
                .getLast();
    }

    private static String sha(List<TrainingEvent> events, String job) {
        return last(events, job, Finished.class).parametersSha256();
    }

    @Test
    void twoWorkersEndWithTheBitsOfTwoDevices() {
        start("a", Patience.LIMIT);
        start("b", Patience.LIMIT);
        submit("together", 1, TOGETHER);
        untilFinished(1);
        submit("alone", 1, "[\"cpu\", \"cpu\"]");
        List<TrainingEvent> events = untilFinished(2);
        assertThat(sha(events, "together")).isEqualTo(sha(events, "alone"));
        assertThat(last(events, "together", Finished.class).attempt()).isEqualTo(1);
        assertThat(last(events, "together", Started.class).device()).isEqualTo("cpu+cpu");
    }

    /// The one that stops gives its part back at a step boundary; the third one comes in its place.
    @Test
    void whenAMemberStopsTheJobGoesOnWithAnother() {
        start("a", Patience.LIMIT);
        start("b", Patience.LIMIT);
        submit("together", 12, TOGETHER);
        Patience.await("a part that is trained")
                .until(() -> workers.values().stream().anyMatch(PartsTest::trainsPart));
        FleetWorker member = workers.values().stream()
                .filter(PartsTest::trainsPart)
                .findFirst()
                .orElseThrow();
        fleet.read(Topic.STEPS, records -> !records.isEmpty());
        start("c", Patience.LIMIT);
        member.close();
        submit("alone", 12, "[\"cpu\", \"cpu\"]");
        List<TrainingEvent> events = untilFinished(2);
        assertThat(last(events, "together", Finished.class).attempt()).isGreaterThan(1);
        assertThat(last(events, "together", Released.class).reason()).contains("stops");
        assertThat(sha(events, "together")).isEqualTo(sha(events, "alone"));
    }

    private static boolean trainsPart(FleetWorker worker) {
        return !worker.activity.parts().isEmpty();
    }

    /// Each worker has one of the jobs, and wants the other worker.
    @Test
    void twoJobsDoNotKeepOneAnotherFromGathering() {
        submit("one", 1, TOGETHER);
        submit("two", 1, TOGETHER);
        start("a", Patience.LIMIT);
        start("b", Patience.LIMIT);
        untilFinished(2);
    }

    @Test
    void aJobForMoreThanThereAreIsGivenBackAndCanBeCancelled() {
        start("a", Duration.ofSeconds(1));
        submit("together", 1, TOGETHER);
        Released released = (Released) await(Released.class::isInstance);
        assertThat(released.reason())
                .isEqualTo("1 of the 1 others that train job together with this one have not come within 1 s");
        fleet.wish("together", Wish.CANCEL);
        await(Cancelled.class::isInstance);
    }

    @Test
    void whereNobodyTrainsWithOthersItFailsWithTheReason() {
        fleet.start("a", runner(training("a")));
        submit("together", 1, TOGETHER);
        Failed failed = (Failed) await(Failed.class::isInstance);
        assertThat(failed.reason()).contains("the job is for 2 workers together", "--secret");
    }
}
