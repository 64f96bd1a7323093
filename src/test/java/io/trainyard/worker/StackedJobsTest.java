package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.data.GreyImages;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.check.Bits;
import io.trainyard.device.stack.OneStack;
import io.trainyard.device.vector.VectorDevice;
import io.trainyard.event.Control.Wish;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Topic;
import io.trainyard.training.JobTraining;
import io.trainyard.training.OnDevice;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The jobs of a sweep, through a real broker, in the slots of a worker that trains them as one program.
@Slow
class StackedJobsTest {
    private static final int JOBS = 8;
    private static final int EPOCHS = 5;

    /// Ends in which all wait until one has made room for an urgent job.
    private static final int FIRST_STOP = 1;

    /// Likewise until one has been cancelled and one has been paused.
    private static final int SECOND_STOP = 2;

    /// All that carries state from step to step; 64 images, so a batch of 6 leaves one of 4.
    private static final String FIELDS = """
            "network": {"layers": [
              {"type": "maxPool2d", "kernel": 2}, {"type": "conv2d", "out": 6, "kernel": 3}, {"type": "relu"},
              {"type": "maxPool2d", "kernel": 2}, {"type": "flatten"}, {"type": "dropout", "p": 0.2},
              {"type": "linear", "out": 10}]},
            "dataset": "mnist", "epochs": %d, "batchSize": 6, "shuffle": true,
            "optimizer": {"type": "sgd", "learningRate": 0.01, "momentum": 0.9}""".formatted(EPOCHS);

    private static final String SWEEP = """
            {"id": "rates", %s, "seed": 5, "random": %d,
             "sweep": {"optimizer.learningRate": {"min": 0.001, "max": 0.1, "scale": "log"},
                       "optimizer.momentum": {"min": 0.1, "max": 0.9},
                       "optimizer.weightDecay": {"min": 0, "max": 0.01}, "seed": {"min": 1, "max": 1000}}}""".formatted(FIELDS, JOBS);

    private static final VectorDevice VECTORS =
            new VectorDevice(new DeviceInfo("cpu", "a model", "vectors", Long.MAX_VALUE));

    @TempDir
    private Path root;

    private final Fleet fleet = new Fleet();
    private final Map<String, JobSpec> jobs = new ConcurrentHashMap<>();
    private final CountDownLatch allAreThere = new CountDownLatch(JOBS);
    private final CountDownLatch madeRoom = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    @BeforeEach
    void writeImages() throws IOException {
        GreyImages.write(root.resolve("mnist"));
    }

    @AfterEach
    void close() {
        madeRoom.countDown();
        stopped.countDown();
        while (allAreThere.getCount() > 0) {
            allAreThere.countDown();
        }
        fleet.close();
    }

    /// What a job has told that does not depend on time.
    ///
    /// @param losses bits, by step
    /// @param tests by epoch
    /// @param checkpoints SHA-256 of the models that were saved, and at the end of the parameters, by step
    private record Told(
            SortedMap<Long, Integer> losses, SortedMap<Integer, String> tests, SortedMap<Long, String> checkpoints) {
        static Told of(List<TrainingEvent> events) {
            Told told = new Told(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
            for (TrainingEvent event : events) {
                if (event instanceof StepLosses losses) {
                    int[] bits = Bits.of(losses.losses());
                    for (int i = 0; i < bits.length; i++) {
                        told.losses.put(losses.firstStep() + i, bits[i]);
                    }
                } else if (event instanceof EpochTested test) {
                    told.tests.put(test.epoch(), "%s %s".formatted(test.testLoss(), test.testAccuracy()));
                } else if (event instanceof CheckpointSaved saved) {
                    told.checkpoints.put(saved.step(), saved.sha256());
                } else if (event instanceof Finished finished) {
                    told.checkpoints.put(finished.steps(), finished.parametersSha256());
                }
            }
            return told;
        }
    }

    private Told alone(String job) {
        List<TrainingEvent> events = new ArrayList<>();
        CheckpointStore store = CheckpointStore.open(root.resolve("alone").toUri());
        Outcome outcome = OnDevice.training(DataRoots.ofFolder(root), VECTORS, "alone")
                .run(
                        Objects.requireNonNull(jobs.get(job)),
                        new JobFolder(store, job),
                        Supervisor.of(events::add, () -> false));
        assertThat(outcome).isInstanceOf(Outcome.Finished.class);
        return Told.of(events);
    }

    @Test
    void eachJobIsWhatItIsAloneWhateverBecomesOfTheOthers() {
        OneStack device = new OneStack(VECTORS, 2, Duration.ofMillis(400));
        JobTraining training = OnDevice.training(DataRoots.ofFolder(root), device, "w")
                .sharing(JOBS)
                .stacking();
        fleet.start(
                new FleetWorker.Setup("w", Set.of("cpu"), fleet.outbox).slots(JOBS),
                (job, attempt, supervisor) -> training.attempt(
                        job, new JobFolder(fleet.store, job.id()), attempt, stopping(job, attempt, supervisor)));
        fleet.submit("rates", SWEEP.getBytes(StandardCharsets.UTF_8));
        await(allAreThere);
        fleet.submit(
                Topic.COMMANDS_HIGH,
                "urgent",
                "{\"id\": \"urgent\", %s}"
                        .formatted(FIELDS.replace("6, \"kernel\"", "5, \"kernel\""))
                        .getBytes(StandardCharsets.UTF_8));
        String preempted = firstJob(Released.class, 1);
        assertThat(device.most()).as("trained as one").isEqualTo(JOBS);
        assertThat(training.stackedJobs()).isGreaterThan(1);
        madeRoom.countDown();

        List<String> others = jobs.keySet().stream()
                .filter(job -> !job.equals(preempted))
                .sorted()
                .toList();
        String cancelled = others.get(1);
        String paused = others.get(2);
        fleet.wish(cancelled, Wish.CANCEL);
        fleet.wish(paused, Wish.PAUSE);
        assertThat(firstJob(Cancelled.class, 1)).isEqualTo(cancelled);
        assertThat(firstJob(Paused.class, 1)).isEqualTo(paused);
        fleet.wish(paused, Wish.RUN);
        stopped.countDown();

        List<TrainingEvent> ends = fleet.eventsUntilFinished(JOBS); // without one, and with the urgent one
        assertThat(ends)
                .filteredOn(Finished.class::isInstance)
                .filteredOn(event -> event.attempt() == 2)
                .extracting(TrainingEvent::job)
                .containsExactlyInAnyOrder(preempted, paused);
        assertThat(training.stackedSteps()).isGreaterThan(JOBS * 10L * FIRST_STOP);
        Patience.await("no job in a stack").until(() -> training.stackedJobs() == 0);
        Map<String, Told> told = told();
        for (String job : jobs.keySet()) {
            Told alone = alone(job);
            Told ours = Objects.requireNonNull(told.get(job));
            if (job.equals(cancelled)) {
                long end = 1 + ours.losses().lastKey();
                assertThat(ours.losses()).as(job).isEqualTo(alone.losses().headMap(end));
                assertThat(ours.losses()).hasSizeLessThan(alone.losses().size());
                assertThat(alone.tests()).containsAllEntriesOf(ours.tests());
            } else {
                assertThat(ours.losses()).as(job).isEqualTo(alone.losses());
                assertThat(ours.tests()).as(job).isEqualTo(alone.tests());
                assertThat(ours.checkpoints()).as(job).containsAllEntriesOf(alone.checkpoints());
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String firstJob(Class<? extends TrainingEvent> type, int count) {
        return fleet.events(events -> events.stream().filter(type::isInstance).count() >= count).stream()
                .filter(type::isInstance)
                .findFirst()
                .orElseThrow()
                .job();
    }

    /// All that the sweep's jobs have told by the time when all have ended.
    private Map<String, Told> told() {
        List<TrainingEvent> events = new ArrayList<>();
        long last = EPOCHS * 11L; // 10 full batches and a smaller one
        for (Topic topic : List.of(Topic.STEPS, Topic.ACCURACY, Topic.CHECKPOINTS, Topic.JOBS)) {
            fleet.read(topic, records -> switch (topic) {
                        case STEPS ->
                            records.stream()
                                            .map(Fleet::decoded)
                                            .filter(event -> jobs.containsKey(event.job()))
                                            .filter(event -> event instanceof StepLosses it && it.lastStep() == last)
                                            .map(TrainingEvent::job)
                                            .distinct()
                                            .count()
                                    == JOBS - 1;
                        default -> !records.isEmpty();
                    })
                    .forEach(record -> events.add(Fleet.decoded(record)));
        }
        Map<String, Told> told = new TreeMap<>();
        for (String job : jobs.keySet()) {
            told.put(
                    job,
                    Told.of(events.stream()
                            .filter(event -> event.job().equals(job))
                            .toList()));
        }
        return told;
    }

    /// A supervisor that lets a trial begin when all are there, and holds it at the ends of two epochs.
    private Supervisor stopping(JobSpec job, int attempt, Supervisor real) {
        if (!job.id().startsWith("rates.")) {
            return real;
        }
        jobs.put(job.id(), job);
        return (Supervisor) Proxy.newProxyInstance(
                Supervisor.class.getClassLoader(), new Class<?>[] {Supervisor.class}, (_, method, arguments) -> {
                    try {
                        Object answer = method.invoke(real, arguments);
                        if (method.getName().equals("tell")) {
                            heard((TrainingEvent) arguments[0], attempt, real);
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    private void heard(TrainingEvent event, int attempt, Supervisor real) {
        if (event instanceof Started && attempt == 1) {
            allAreThere.countDown();
            await(allAreThere);
        } else if (event instanceof EpochTested test && test.epoch() == FIRST_STOP) {
            hold(madeRoom, real);
        } else if (event instanceof EpochTested test && test.epoch() == SECOND_STOP) {
            hold(stopped, real);
        }
    }

    /// Until it may go on, or is to stop.
    private static void hold(CountDownLatch latch, Supervisor real) {
        try {
            for (int i = 0; i < 30_000 && real.halt().isEmpty(); i++) {
                if (latch.await(20, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
