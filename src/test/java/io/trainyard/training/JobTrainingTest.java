package io.trainyard.training;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.released;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.data.DataRoots;
import io.trainyard.data.GreyImages;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.event.FailureCause;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.EpochTime;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The events of a job from claim to end, and the end of a job that cannot run.
class JobTrainingTest extends SmallJobs {
    @Test
    void publishesAllEventsOfAJob() {
        JobSpec job = job("a", "\"epochs\": 2, \"batchSize\": 1000");
        assertThat(run(job, () -> false)).isInstanceOf(Outcome.Finished.class);

        assertThat(events.getFirst()).isEqualTo(claimed("a", 1, "tester"));
        Started started = (Started) events.get(1);
        int stepsPerEpoch = started.stepsPerEpoch();
        assertThat(started.firstStep()).isEqualTo(1);
        assertThat(started.deviceModel()).isNotBlank();
        assertThat(stepsPerEpoch).isEqualTo(Math.ceilDiv(started.trainSamples(), 1000));
        assertThat(started.parameters())
                .extracting(TrainingEvent.Parameter::name)
                .contains("0.weight", "1.running_var", "6.bias");
        assertThat(steps())
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 2 * stepsPerEpoch)
                        .mapToObj(Long::valueOf)
                        .toList());
        assertThat(of(EpochTested.class)).extracting(EpochTested::epoch).containsExactly(0, 1);
        assertThat(of(EpochTested.class)).allSatisfy(tested -> {
            assertThat(tested.samplesPerSecond()).isPositive();
            assertThat(tested.testAccuracy()).isStrictlyBetween(tested.accuracyLow(), tested.accuracyHigh());
            assertThat(tested.confusion()).hasDimensions(10, 10);
            int samples =
                    Stream.of(tested.confusion()).flatMapToInt(IntStream::of).sum();
            assertThat(samples).isEqualTo(started.testSamples());
        });
        assertThat(of(CheckpointSaved.class))
                .extracting(CheckpointSaved::step)
                .containsExactly((long) stepsPerEpoch, 2L * stepsPerEpoch);
        assertThat(of(CheckpointSaved.class)).extracting(CheckpointSaved::epoch).containsExactly(0, 1);
        Finished finished = (Finished) events.getLast();
        assertThat(finished.steps()).isEqualTo(2L * stepsPerEpoch);
        assertThat(finished.medianStepMicros()).isPositive();
        assertThat(finished.p95StepMicros()).isGreaterThanOrEqualTo(finished.medianStepMicros());
        assertThat(finished.p99StepMicros()).isGreaterThanOrEqualTo(finished.p95StepMicros());
        assertThat(finished.bestTestAccuracy())
                .isEqualTo(of(EpochTested.class).stream()
                        .mapToDouble(EpochTested::testAccuracy)
                        .max()
                        .orElseThrow());
    }

    /// The files are gone when the attempt begins, because it needs them no more.
    @Test
    void isReadyForAJobWithLoadedData() throws IOException {
        JobSpec job = job("a", "\"dataset\": \"mnist\", \"epochs\": 1, \"batchSize\": 8");
        JobTraining training = new JobTraining(DataRoots.ofFolder(root), new DeviceSpec("cpu"), 0, "tester");
        training.getReady(job); // fails silently
        Path folder = root.resolve("mnist");
        GreyImages.write(folder);
        training.getReady(job);
        Files.move(folder, root.resolve("elsewhere"));
        assertThat(run(training, job, () -> false)).isInstanceOf(Outcome.Finished.class);
        JobSpec again = job("b", "\"dataset\": \"mnist\", \"epochs\": 1, \"batchSize\": 8");
        assertThat(run(again, () -> false)).as("without loaded data").isInstanceOf(Outcome.WorkerFault.class);
    }

    /// Each epoch's time contains its measured parts, and all epochs fit into the attempt's time.
    @Test
    void publishesTheTimesOfEachEpoch() {
        JobSpec job = job("a", "\"epochs\": 3, \"batchSize\": 500");
        assertThat(run(job, () -> false)).isInstanceOf(Outcome.Finished.class);
        long all = 0;
        for (EpochTested tested : of(EpochTested.class)) {
            EpochTime time = Objects.requireNonNull(tested.epochTime());
            assertThat(time.stepsMicros()).isPositive();
            assertThat(time.batchesMicros()).isBetween(1L, time.stepsMicros());
            assertThat(time.checkpointsMicros())
                    .as("the first is saved at the end of epoch 0")
                    .matches(micros -> micros > 0 == tested.epoch() > 0);
            assertThat(time.testMicros() / 1000).isEqualTo(tested.testMillis());
            assertThat(time.otherMicros()).isPositive();
            long whole = time.stepsMicros() + time.checkpointsMicros() + time.testMicros() + time.otherMicros();
            assertThat(whole / 1000).isGreaterThanOrEqualTo(tested.trainMillis() + tested.testMillis());
            all += whole;
        }
        assertThat(all / 1000).isLessThanOrEqualTo(((Finished) events.getLast()).trainMillis());
    }

    @Test
    void publishesTheScheduledLearningRates() {
        JobSpec job = job(
                "a",
                "\"epochs\": 3, \"batchSize\": 2000, \"optimizer\": {\"type\": \"sgd\", \"learningRate\": 0.08}, "
                        + "\"schedule\": {\"type\": \"multiStep\", \"milestones\": [1, 2], \"gamma\": 0.5}");
        assertThat(run(job, () -> false)).isInstanceOf(Outcome.Finished.class);
        assertThat(of(StepLosses.class))
                .isNotEmpty()
                .allSatisfy(losses -> assertThat(losses.learningRate()).isEqualTo(0.08 / (1 << losses.epoch())));
    }

    @Test
    void republishesTheEndOfAFinishedJob() {
        JobSpec job = job("a", "\"epochs\": 1, \"batchSize\": 1500");
        run(job, () -> false);
        TrainingEvent end = events.getLast();
        events.clear();
        assertThat(run(job, () -> false)).isInstanceOf(Outcome.Finished.class);
        assertThat(events).usingRecursiveFieldByFieldElementComparator().containsExactly(end);
    }

    @Test
    void aMissingDeviceIsTheWorkersFault() {
        assertThat(run(job("a", "\"epochs\": 1, \"device\": \"cuda:7\""), () -> false))
                .isInstanceOfSatisfying(
                        Outcome.WorkerFault.class,
                        o -> assertThat(o.event().reason()).contains("cuda"));
        assertThat(events).singleElement().isInstanceOf(Released.class);
        assertThat(folder("a").chain().end()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"reference, tf32", "reference, bf16"})
    void aDeviceRefusesAPrecisionThatNoneOfItsKindHas(String device, String precision) {
        String reason =
                "precision is %s, but device %s computes in fp32 only; leave precision out, or use a device that supports it, such as cuda"
                        .formatted(precision, device);
        JobSpec job = job("a", "\"epochs\": 1, \"device\": \"%s\", \"precision\": \"%s\"".formatted(device, precision));
        assertThat(run(job, () -> false))
                .isEqualTo(new Outcome.Failed(failed("a", 1, reason, FailureCause.IMPOSSIBLE)));
        assertThat(events.getLast()).isEqualTo(failed("a", 1, reason, FailureCause.IMPOSSIBLE));
    }

    /// A newer device of that kind may be able to run the job.
    @Test
    void aDeviceWithoutThePrecisionRefusesTheJob() {
        record OldDevice(DeviceInfo info) implements Device {
            @Override
            public LearningSession open(Workload workload) {
                workload.requirePrecision("cpu", precisions(), EnumSet.allOf(Precision.class));
                throw new AssertionError("opened");
            }
        }
        JobDevices old = _ -> new OldDevice(new DeviceInfo("cpu", "a model", "an old one", 1 << 20));
        String reason =
                "precision is bf16, but device cpu computes in fp32 only on this machine; leave precision out, or have a worker on a machine that has it";
        assertThat(run(
                        new JobTraining(DataRoots.ofFolder(root), old, 0, "tester"),
                        job("a", "\"epochs\": 1, \"precision\": \"bf16\""),
                        () -> false))
                .isEqualTo(new Outcome.WorkerFault(released("a", 1, 0, reason), true));
        assertThat(folder("a").chain().end()).isEmpty();
    }

    @Test
    void errorsInAnAttemptFailTheJobNotTheWorker() {
        JobDevices broken = _ -> {
            throw new IllegalStateException("broke");
        };
        JobDevices deep = _ -> {
            throw new StackOverflowError("deep");
        };
        assertThat(run(
                        new JobTraining(DataRoots.ofFolder(root), broken, 0, "tester"),
                        job("a", "\"epochs\": 1"),
                        () -> false))
                .isEqualTo(new Outcome.Failed(failed("a", 1, "broke", FailureCause.OTHER)));
        assertThat(run(
                        new JobTraining(DataRoots.ofFolder(root), deep, 0, "tester"),
                        job("b", "\"epochs\": 1"),
                        () -> false))
                .isEqualTo(
                        new Outcome.Failed(failed("b", 1, "java.lang.StackOverflowError: deep", FailureCause.OTHER)));
    }

    @Test
    void memoryAndLibrariesAreFaultsOfTheWorker() {
        JobDevices full = _ -> {
            throw new OutOfMemoryError("Java heap space");
        };
        JobDevices bare = _ -> {
            throw new UnsatisfiedLinkError("no jnimkldnn");
        };
        assertThat(run(
                        new JobTraining(DataRoots.ofFolder(root), full, 0, "tester"),
                        job("a", "\"epochs\": 1"),
                        () -> false))
                .isEqualTo(new Outcome.WorkerFault(released("a", 1, 0, "Java heap space"), false));
        assertThat(run(
                        new JobTraining(DataRoots.ofFolder(root), bare, 0, "tester"),
                        job("b", "\"epochs\": 1"),
                        () -> false))
                .isEqualTo(new Outcome.WorkerFault(
                        released("b", 1, 0, "java.lang.UnsatisfiedLinkError: no jnimkldnn"), true));
    }

    /// A device with more memory may be able to run the job.
    @Test
    void aDeviceWithTooLittleMemoryRefusesTheJob() {
        record SmallDevice(DeviceInfo info) implements Device {
            @Override
            public LearningSession open(Workload workload) {
                throw new DeviceMemoryException("the job needs 9 MiB, but 1 MiB is free");
            }
        }
        JobDevices small = _ -> new SmallDevice(new DeviceInfo("cpu", "a model", "a small one", 1 << 20));
        assertThat(run(
                        new JobTraining(DataRoots.ofFolder(root), small, 0, "tester"),
                        job("a", "\"epochs\": 1"),
                        () -> false))
                .isEqualTo(
                        new Outcome.WorkerFault(released("a", 1, 0, "the job needs 9 MiB, but 1 MiB is free"), true));
        assertThat(folder("a").chain().end()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        `{"type": "started", "job": "a"}` | its type is "started"; allowed is owner, paused, or one of [finished,
        `{"type": "finished"`             | Unexpected end-of-input
        `7`                               | its type is ""
        """)
    void anUnreadableChainIsAnError(String kept, String reason) throws IOException {
        Path link = root.resolve("checkpoints/a/attempts/1");
        Files.createDirectories(link.getParent());
        Files.writeString(link, kept);
        assertThatThrownBy(() -> run(job("a", "\"epochs\": 1, \"batchSize\": 1500"), () -> false))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("checkpoints/a/attempts/1 is not a link of a job's chain: " + reason);
        assertThat(folder("a").chain().last()).isEqualTo(1);
    }

    private List<Long> steps() {
        return of(StepLosses.class).stream()
                .flatMap(e -> IntStream.range(0, e.losses().length).mapToObj(i -> e.firstStep() + i))
                .toList();
    }
}
