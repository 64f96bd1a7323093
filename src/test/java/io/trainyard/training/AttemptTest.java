package io.trainyard.training;

import static io.trainyard.event.SampleEvents.released;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Slow;
import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.ForwardingStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.StoreException;
import io.trainyard.data.DataRoots;
import io.trainyard.device.DeviceException;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobLimits;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Shape;
import io.trainyard.training.Supervisor.Halt;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Attempts that end before the job does, and the state that they leave for the next attempt.
@Slow
class AttemptTest extends SmallJobs {
    private static final Instant NOW = Instant.parse("2026-11-22T03:04:05.678Z");

    private static final String LINEAR =
            "\"network\": {\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"linear\", \"out\": 10}]}";
    private static final String EACH_STEP =
            "\"epochs\": 2, \"batchSize\": 2000, \"checkpointEverySteps\": 1, " + LINEAR;

    private JobTraining training;
    private int failures;

    @BeforeEach
    void open() {
        training = new JobTraining(DataRoots.ofFolder(root), new DeviceSpec("cpu"), 1, "tester");
    }

    /// A supervisor that also acts at each event or boundary.
    private class Meddler implements Supervisor {
        private final Consumer<TrainingEvent> meddle;
        private final Optional<Halt> halt;
        private final int haltAfter;
        private int boundaries;

        Meddler(Consumer<TrainingEvent> meddle) {
            this(meddle, Optional.empty(), 0);
        }

        Meddler(Consumer<TrainingEvent> meddle, Optional<Halt> halt, int haltAfter) {
            this.meddle = meddle;
            this.halt = halt;
            this.haltAfter = haltAfter;
        }

        @Override
        public void publish(TrainingEvent event, Instant time) {
            events.add(event);
            meddle.accept(event);
        }

        @Override
        public Optional<Halt> halt() {
            return ++boundaries > haltAfter ? halt : Optional.empty();
        }
    }

    private Supervisor halting(Halt halt, int boundaries) {
        return new Meddler(_ -> {}, Optional.of(halt), boundaries);
    }

    private Supervisor preempting(Optional<String> urgent) {
        return new Meddler(_ -> {}, Optional.of(Halt.PREEMPT), 2) {
            @Override
            public Optional<String> preemptor() {
                return urgent;
            }
        };
    }

    private Outcome begin(JobSpec job, Supervisor supervisor) {
        JobFolder folder = folder(job.id());
        return training.attempt(job, folder, folder.beginAttempt("tester"), supervisor);
    }

    @Test
    void aPreemptionIsStoredUnlessNoHighPriorityJobWaits() {
        assertThat(begin(job("a", EACH_STEP), preempting(Optional.of("urgent"))))
                .isInstanceOf(Outcome.Released.class);
        assertThat(((Released) events.getLast()).preemptedBy()).isEqualTo("urgent");
        assertThat(folder("a").chain().preemptions()).isEqualTo(1);
        assertThat(begin(job("b", EACH_STEP), preempting(Optional.empty()))).isInstanceOf(Outcome.Finished.class);
        assertThat(folder("b").chain().preemptions()).isZero();
    }

    @Test
    void aSupersededAttemptPublishesAndSavesNothing() {
        JobFolder folder = folder("a");
        Outcome outcome = begin(job("a", EACH_STEP), new Meddler(event -> {
            if (event instanceof StepLosses losses && losses.lastStep() == 3) {
                assertThat(folder.beginAttempt("another")).isEqualTo(2);
            }
        }));
        assertThat(outcome).isEqualTo(new Outcome.Superseded(1));
        assertThat(events.getLast())
                .isInstanceOfSatisfying(
                        StepLosses.class, last -> assertThat(last.lastStep()).isEqualTo(3));
        assertThat(folder.checkpoints().newest().orElseThrow().progress().step())
                .isEqualTo(2);
        assertThat(folder.chain().end()).isEmpty();
        assertThat(folder.chain().brokeOff(1)).as("it is no fault of the job").isFalse();
    }

    /// Like `SIGSTOP`: another attempt has republished the computed steps by now.
    @Test
    void aFrozenAttemptChecksItsFenceBeforePublishing() {
        JobFolder folder = folder("a");
        Outcome outcome = begin(job("a", EACH_STEP), new Meddler(_ -> {}) {
            @Override
            public Optional<Halt> halt() {
                if (!of(StepLosses.class).isEmpty() && folder.chain().last() == 1) {
                    assertThat(folder.beginAttempt("another")).isEqualTo(2);
                    standStill(Duration.ofMillis(2100));
                }
                return super.halt();
            }
        });
        assertThat(outcome).isEqualTo(new Outcome.Superseded(1));
        assertThat(of(StepLosses.class)).hasSize(1);
    }

    /// A parked thread may be woken by the permit of an earlier wait.
    private static void standStill(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /// An evaluation saves nothing between its last test and its outcome.
    @Test
    void aSupersededAttemptHasNoOutcome() {
        assertThat(begin(job("source", EACH_STEP), new Meddler(_ -> {}))).isInstanceOf(Outcome.Finished.class);
        events.clear();
        JobSpec job = job("a", "\"kind\": \"evaluate\", \"initFrom\": \"source\", " + LINEAR);
        Outcome outcome = begin(job, new Meddler(event -> {
            if (event instanceof EpochTested) {
                assertThat(folder("a").beginAttempt("another")).isEqualTo(2);
            }
        }));
        assertThat(outcome).isEqualTo(new Outcome.Superseded(1));
        assertThat(events.getLast()).isInstanceOf(EpochTested.class);
        assertThat(folder("a").chain().end()).isEmpty();
    }

    @Test
    void aSupersededAttemptReportsNoFaultOfItsWorker() {
        JobDevices gone = _ -> {
            int _ = folder("a").beginAttempt("another");
            throw new OutOfMemoryError("Java heap space");
        };
        JobFolder folder = folder("a");
        assertThat(new JobTraining(DataRoots.ofFolder(root), gone, 1, "tester")
                        .attempt(job("a", EACH_STEP), folder, folder.beginAttempt("tester"), new Meddler(_ -> {})))
                .isEqualTo(new Outcome.Superseded(1));
        assertThat(events).isEmpty();
    }

    /// Supersedes the attempt after its last check: the request that stores its outcome may be retried for a
    /// minute.
    private static final class OvertakenStore extends ForwardingStore {
        private final JobFolder folder;
        private boolean overtaken;

        OvertakenStore(CheckpointStore store) {
            super(store);
            folder = new JobFolder(store, "a");
        }

        @Override
        public boolean createIfAbsent(String key, byte[] content) {
            if (key.equals("a/attempts/2") && !overtaken) {
                overtaken = true;
                assertThat(folder.beginAttempt("another")).isEqualTo(2);
            }
            return super.createIfAbsent(key, content);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Halt.class,
            names = {"PAUSE", "CANCEL"})
    void theStoreRefusesAnEndOrAPauseOfASupersededAttempt(Halt halt) {
        assertRefused(job("a", EACH_STEP), halting(halt, 1));
    }

    @Test
    void theStoreRefusesTheSuccessOfASupersededAttempt() {
        assertRefused(job("a", EACH_STEP), new Meddler(_ -> {}));
    }

    @Test
    void theStoreRefusesTheFailureOfASupersededAttempt() {
        assertRefused(job("a", "\"epochs\": 1, \"batchSize\": 60000, " + LINEAR), new Meddler(_ -> {}));
    }

    private void assertRefused(JobSpec job, Supervisor supervisor) {
        JobFolder folder = new JobFolder(
                new OvertakenStore(
                        CheckpointStore.open(root.resolve("checkpoints").toUri())),
                "a");
        assertThat(training.attempt(job, folder, folder.beginAttempt("tester"), supervisor))
                .isEqualTo(new Outcome.Superseded(1));
        assertThat(events)
                .noneMatch(event -> event instanceof Finished
                        || event instanceof Failed
                        || event instanceof Paused
                        || event instanceof Cancelled
                        || event instanceof Released);
        assertThat(folder.chain().link())
                .hasValueSatisfying(link -> assertThat(link)
                        .isInstanceOfSatisfying(
                                Owner.class, owner -> assertThat(owner.worker()).isEqualTo("another")));
    }

    /// The store's answer was lost: the link exists, and it is this attempt's own.
    @Test
    void anEndWhoseAnswerWasLostIsPublished() {
        CheckpointStore store = new ForwardingStore(
                CheckpointStore.open(root.resolve("checkpoints").toUri())) {
            @Override
            public boolean createIfAbsent(String key, byte[] content) {
                boolean created = super.createIfAbsent(key, content);
                if (key.equals("a/attempts/2")) {
                    throw new StoreException(key, new IOException("no answer"));
                }
                return created;
            }
        };
        JobFolder folder = new JobFolder(store, "a");
        Outcome outcome =
                training.attempt(job("a", EACH_STEP), folder, folder.beginAttempt("tester"), new Meddler(_ -> {}));
        assertThat(outcome).isInstanceOf(Outcome.Finished.class);
        assertThat(of(Finished.class)).hasSize(1);
        assertThat(of(Released.class)).isEmpty();
    }

    @Test
    void theFirstOutcomeWins() {
        End first = new End(new String(EventJson.write(new Cancelled("a", 7, 2), NOW), StandardCharsets.UTF_8));
        Outcome outcome = begin(job("a", EACH_STEP), new Meddler(event -> {
            if (event instanceof EpochTested tested && tested.epoch() == 1) {
                assertThat(folder("a").append(1, first)).isEqualTo(first);
            }
        }));
        assertThat(outcome).isEqualTo(new Outcome.Cancelled(new Cancelled("a", 7, 2)));
        assertThat(events.getLast()).isEqualTo(new Cancelled("a", 7, 2));
        assertThat(of(Finished.class)).isEmpty();
        assertThat(folder("a").chain().end()).hasValue(first);
    }

    @Test
    void aFailureIsStoredAndRepublished() throws IOException {
        JobSpec job = job("a", "\"epochs\": 1, \"batchSize\": 60000, " + LINEAR);
        assertThat(run(job, () -> false)).isInstanceOf(Outcome.Failed.class);
        Failed failed = (Failed) events.getLast();
        assertThat(Outcome.read(folder("a").chain().end().orElseThrow().event()).event())
                .isEqualTo(failed);
        assertThat(run(job, () -> false)).isEqualTo(new Outcome.Failed(failed));
        assertThat(events).containsExactly(failed, failed);
    }

    @Test
    void aCancelledJobHasNoMoreCheckpointsAndStaysCancelled() {
        JobSpec job = job("a", "\"epochs\": 2, \"batchSize\": 2000, " + LINEAR);
        Cancelled cancelled = new Cancelled("a", 1, 1);
        assertThat(begin(job, halting(Halt.CANCEL, 1))).isEqualTo(new Outcome.Cancelled(cancelled));
        assertThat(events.getLast()).isEqualTo(cancelled);
        assertThat(of(CheckpointSaved.class)).isEmpty();
        assertThat(run(job, () -> false)).isEqualTo(new Outcome.Cancelled(cancelled));
        assertThat(events.getLast()).isEqualTo(cancelled);
    }

    @Test
    void aPausedJobContinuesFromItsStep() {
        JobSpec job = job("a", "\"epochs\": 2, \"batchSize\": 2000, " + LINEAR);
        assertThat(begin(job, halting(Halt.PAUSE, 1))).isEqualTo(new Outcome.Paused(new Paused("a", 1, 1)));
        assertThat(events.getLast()).isEqualTo(new Paused("a", 1, 1));
        assertThat(folder("a").chain().end()).isEmpty();
        assertThat(begin(job, new Meddler(_ -> {}))).isInstanceOf(Outcome.Finished.class);
        assertThat(of(Started.class)).extracting(Started::firstStep).containsExactly(1L, 2L);
    }

    /// These attempts make no progress because they take no step. That must not count as a failure.
    @ParameterizedTest
    @EnumSource(
            value = Halt.class,
            names = {"DRAIN", "PAUSE"})
    void requestedStopsDoNotCountAsFailures(Halt halt) {
        JobSpec job = job("a", EACH_STEP);
        for (int i = 0; i < 2; i++) {
            begin(job, halting(halt, 0));
        }
        assertThat(training.with(new AttemptLimits(1, 20, JobLimits.DEFAULT))
                        .run(job, folder("a"), new Meddler(_ -> {})))
                .isInstanceOf(Outcome.Finished.class);
    }

    @Test
    void theAllowedNumberOfAttemptsMayEndAbnormally() {
        JobSpec job = job("a", EACH_STEP);
        folder("a").noteStarted(folder("a").beginAttempt("killed"));
        folder("a").noteStarted(folder("a").beginAttempt("killed"));
        assertThat(training.with(new AttemptLimits(2, 20, JobLimits.DEFAULT))
                        .run(job, folder("a"), new Meddler(_ -> {})))
                .isInstanceOfSatisfying(Outcome.Failed.class, failed -> {
                    assertThat(failed.event().reason()).startsWith("2 attempts in a row ended without a checkpoint");
                    assertThat(failed.event().cause()).isEqualTo("broke_off");
                });
        JobSpec other = job("b", EACH_STEP);
        folder("b").noteStarted(folder("b").beginAttempt("killed"));
        assertThat(training.with(new AttemptLimits(2, 20, JobLimits.DEFAULT))
                        .run(other, folder("b"), new Meddler(_ -> {})))
                .isInstanceOf(Outcome.Finished.class);
    }

    /// A process that runs out of memory because of a job dies before the job's first step.
    @Test
    void anAttemptKilledDuringAllocationEndedAbnormally() {
        AtomicBoolean noted = new AtomicBoolean();
        begin(job("a", EACH_STEP), new Meddler(event -> {
            if (event instanceof Started) {
                noted.set(folder("a").chain().brokeOff(1));
            }
        }));
        assertThat(noted).isTrue();
    }

    @Test
    void weightsLargerThanTheHeapAreRefused() {
        Network network = Network.fit(job("a", EACH_STEP).network(), Shape.of(3, 32, 32), 10);
        HeapCheck.require(network, 1 << 20);
        assertThatThrownBy(() -> HeapCheck.require(network, 1 << 16))
                .isInstanceOf(DeviceException.class)
                .hasMessage(
                        "the network's weights have 0 MiB, and this worker's Java heap is 0 MiB at most; choose smaller layers, or give Java more with -Xmx");
        Outcome outcome = begin(
                job(
                        "b",
                        "\"epochs\": 1, \"network\": {\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"linear\", \"out\": 80000}, {\"type\": \"linear\", \"out\": 3000}, {\"type\": \"linear\", \"out\": 80000}, {\"type\": \"linear\", \"out\": 10}]}"),
                new Meddler(_ -> {}));
        assertThat(outcome).isInstanceOfSatisfying(Outcome.WorkerFault.class, fault -> {
            assertThat(fault.lacking()).isTrue();
            assertThat(fault.event().reason()).startsWith("the network's weights have 2772 MiB");
        });
        assertThat(folder("b").chain().brokeOff(1)).isFalse();
    }

    @Test
    void savesAtTheRequestedStepsAlsoWithinEpochs() {
        String fields = "\"epochs\": 2, \"batchSize\": 300, \"checkpointEverySteps\": %d, " + LINEAR;
        begin(job("a", fields.formatted(4)), new Meddler(_ -> {}));
        long all = ((Finished) events.getLast()).steps();
        String sha256 = ((Finished) events.getLast()).parametersSha256();
        List<Long> expected = new ArrayList<>();
        for (long step = 1; step <= all; step++) {
            if (step % 4 == 0 || step % (all / 2) == 0) {
                expected.add(step);
            }
        }
        assertThat(of(CheckpointSaved.class)).extracting(CheckpointSaved::step).containsExactlyElementsOf(expected);
        events.clear();
        begin(job("b", fields.formatted(1_000_000)), new Meddler(_ -> {}));
        assertThat(((Finished) events.getLast()).parametersSha256()).isEqualTo(sha256);
    }

    @Test
    void savesAfterTheRequestedSeconds() {
        String fields = "\"epochs\": 1, \"batchSize\": 300, \"checkpointEverySeconds\": 1, " + LINEAR;
        begin(job("a", fields), new Meddler(event -> {
            if (event instanceof StepLosses losses && losses.firstStep() == 1) {
                standStill(Duration.ofMillis(1100));
            }
        }));
        assertThat(of(CheckpointSaved.class)).hasSizeGreaterThan(1);
        assertThat(of(CheckpointSaved.class).getFirst().step()).isEqualTo(1);
    }

    /// Kills the worker at each event: the supervisor throws, and the attempt stores nothing more.
    @Test
    void endsWithTheSameBitsWhereverItWasKilled() {
        String fields = EACH_STEP + ", \"shuffle\": true, \"keepLast\": 1, \"optimizer\": {\"type\": \"adam\"}";
        begin(job("whole", fields), new Meddler(_ -> {}));
        String sha256 = ((Finished) events.getLast()).parametersSha256();
        int all = events.size();
        for (int killedAt = 1; killedAt <= all; killedAt++) {
            String id = "killed-" + killedAt;
            int[] left = {killedAt};
            events.clear();
            assertThatThrownBy(() -> begin(job(id, fields), new Meddler(_ -> {
                        if (--left[0] == 0) {
                            throw new SupervisorException("killed", null);
                        }
                    })))
                    .hasMessage("killed");
            assertThat(training.run(job(id, fields), folder(id), new Meddler(_ -> {})))
                    .isInstanceOf(Outcome.Finished.class);
            assertThat(((Finished) events.getLast()).parametersSha256())
                    .as("killed at event %d", killedAt)
                    .isEqualTo(sha256);
        }
    }

    @Test
    void republishesUnacknowledgedEventsBeforeTheNextAttempt() {
        JobSpec job = job("a", EACH_STEP);
        Supervisor dying =
                new Meddler(event -> {
                    if (event instanceof StepLosses losses && losses.lastStep() == 3) {
                        throw new SupervisorException("killed", null);
                    }
                }) {
                    @Override
                    public List<String> unacknowledged() {
                        return List.of(
                                new String(
                                        EventJson.write(of(StepLosses.class).getLast(), NOW), StandardCharsets.UTF_8),
                                "{}");
                    }
                };
        assertThatThrownBy(() -> begin(job, dying)).hasMessage("killed");
        Checkpoint newest = folder("a").checkpoints().newest().orElseThrow();
        StepLosses last = of(StepLosses.class).get((int) newest.progress().step() - 1);
        events.clear();

        List<String> again = new ArrayList<>();
        Supervisor next =
                new Meddler(event -> {
                    if (event instanceof Started) {
                        assertThat(again)
                                .containsExactly(new String(EventJson.write(last, NOW), StandardCharsets.UTF_8), "{}");
                    }
                }) {
                    @Override
                    public void republish(String event) {
                        assertThat(events).hasExactlyElementsOfTypes(Claimed.class);
                        again.add(event);
                    }
                };
        assertThat(begin(job, next)).isInstanceOf(Outcome.Finished.class);
        assertThat(again).hasSize(2);
    }

    @Test
    void announcesTheLimitOfItsNextWork() {
        List<Duration> limits = new ArrayList<>();
        Supervisor watching = new Meddler(_ -> {}) {
            @Override
            public void alive(Duration limit) {
                limits.add(limit);
            }
        };
        begin(job("a", EACH_STEP), watching);
        assertThat(limits.getFirst()).isEqualTo(HangLimit.UNKNOWN);
        assertThat(limits).contains(HangLimit.LEAST).allMatch(limit -> !limit.isNegative());
    }

    /// An interrupted thread was abandoned: its events are discarded.
    @Test
    void anInterruptedAttemptSavesNothing() {
        try {
            assertThatThrownBy(() -> begin(job("a", EACH_STEP), new Meddler(event -> {
                        if (event instanceof EpochTested) {
                            Thread.currentThread().interrupt();
                        }
                    })))
                    .isInstanceOf(RuntimeException.class);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(of(Released.class)).isEmpty();
        assertThat(of(Finished.class)).isEmpty();
        assertThat(folder("a").chain().end()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"step-0000000001-1.safetensors", "step-0000000001-1.json", "attempts/1.started"})
    void aStoreThatIsFullFromTheStartIsTheWorkersFault(String file) {
        Outcome outcome = withFull(key -> key.endsWith(file));
        Released released = released("a", 1, 0, problem("a/" + (file.startsWith("step") ? "checkpoints/" : "") + file));
        assertThat(outcome).isEqualTo(new Outcome.WorkerFault(released, false));
        assertThat(events.getLast()).isEqualTo(released);
        assertThat(folder("a").chain().end()).isEmpty();
        assertThat(folder("a").chain().brokeOff(1)).isFalse();
    }

    @Test
    void aFailedCheckpointIsToleratedIfAnEarlierOneExists() {
        assertThat(withFull(key -> key.contains("step-0000000002") || key.contains("step-0000000003")))
                .isInstanceOf(Outcome.Finished.class);
        assertThat(of(CheckpointSaved.class))
                .extracting(CheckpointSaved::step)
                .contains(1L, 4L)
                .doesNotContain(2L, 3L);
        assertThat(failures).isEqualTo(2);
    }

    @Test
    void threeFailedCheckpointsInARowEndTheAttempt() {
        String step = "step-000000000%d-1.training.safetensors";
        Outcome outcome = withFull(key -> key.contains("checkpoints/") && !key.contains("step-0000000001"));
        assertThat(outcome)
                .isEqualTo(new Outcome.WorkerFault(
                        released("a", 1, 1, problem("a/checkpoints/" + step.formatted(4))), false));
        assertThat(of(CheckpointSaved.class)).extracting(CheckpointSaved::step).containsExactly(1L);
    }

    /// A finished job always has its last checkpoint.
    @Test
    void theLastCheckpointIsRequired() {
        run(job("other", EACH_STEP), () -> false);
        long last = ((Finished) events.getLast()).steps();
        events.clear();
        Outcome outcome = withFull(key -> key.contains("step-%010d".formatted(last)));
        assertThat(outcome).isInstanceOf(Outcome.WorkerFault.class);
        assertThat(((Released) events.getLast()).step()).isEqualTo(last - 1);
        assertThat(folder("a").chain().end()).isEmpty();
    }

    @Test
    void anOutcomeThatCannotBeStoredIsNotPublished() {
        Outcome outcome =
                withFull(key -> key.endsWith("attempts/2") && !of(Started.class).isEmpty());
        assertThat(outcome).isInstanceOf(Outcome.WorkerFault.class);
        assertThat(of(Finished.class)).isEmpty();
        assertThat(events.getLast()).isInstanceOf(Released.class);
        assertThat(begin(job("a", EACH_STEP), new Meddler(_ -> {}))).isInstanceOf(Outcome.Finished.class);
    }

    /// Then the attempt does not even know whether a later one exists.
    @Test
    void anUnreachableStoreRequeuesTheJob() {
        Outcome outcome = withFull(key -> key.endsWith("attempts/2"));
        assertThat(outcome).isInstanceOf(Outcome.WorkerFault.class);
        assertThat(((Released) events.getLast()).reason()).isEqualTo(problem("a/attempts/2"));
    }

    private Outcome withFull(Predicate<String> full) {
        var store =
                new FlakyStore(CheckpointStore.open(root.resolve("checkpoints").toUri()), full);
        JobFolder folder = new JobFolder(store, "a");
        Supervisor counting = new Meddler(_ -> {}) {
            @Override
            public void checkpointFailed() {
                failures++;
            }
        };
        return training.attempt(job("a", EACH_STEP), folder, folder.beginAttempt("tester"), counting);
    }

    private static String problem(String key) {
        return "%s cannot be written: %s".formatted(key, FlakyStore.PROBLEM);
    }
}
