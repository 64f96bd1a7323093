package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import io.trainyard.training.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@Slow
class ClaimLoopTest {
    /// A machine that stands still for as long as a lock loses it, as it should: then another job has to keep it.
    private static final int TRIES = 10;

    private final Fleet fleet = new Fleet();

    @AfterEach
    void close() {
        fleet.close();
    }

    @Test
    void runsACommandThatWasThereBeforeTheFirstWorker() {
        fleet.submit("early");
        fleet.start("w", new Fleet.Runner("w"));
        assertThat(fleet.eventsUntilFinished(1)).extracting(TrainingEvent::job).containsOnly("early");
    }

    /// A job whose lock lapses is done again before the one behind it.
    @Test
    void renewsTheLockWhileAJobRunsOverSeveralLockTimes() {
        Duration lock = Duration.ofSeconds(2);
        fleet.lockClaimsFor(lock);
        Map<String, Integer> attempts = new ConcurrentHashMap<>();
        AtomicLong endNanos = new AtomicLong();
        JobRunner runner = new Fleet.Runner("w", attempts, () -> System.nanoTime() > endNanos.get());
        fleet.start("w", (job, supervisor) -> {
            boolean isLong = job.id().startsWith("long") && !attempts.containsKey(job.id());
            endNanos.set(System.nanoTime() + (isLong ? lock.multipliedBy(3).toNanos() : 0));
            return runner.run(job, supervisor);
        });
        boolean kept = false;
        for (int i = 1; i <= TRIES && !kept; i++) {
            fleet.submit("long-" + i);
            fleet.submit("behind-" + i);
            Fleet.assertAttemptsAreNumbered(fleet.eventsUntilFinished(2 * i));
            kept = attempts.getOrDefault("long-" + i, 0) == 1;
        }
        assertThat(kept).as("a lock was kept over three lock times").isTrue();
    }

    @Test
    void twoLoopsShareTenJobsEachOnce() {
        Map<String, Integer> attempts = new ConcurrentHashMap<>();
        CountDownLatch both = new CountDownLatch(2);
        for (String worker : List.of("a", "b")) {
            AtomicBoolean first = new AtomicBoolean(true);
            fleet.start(worker, new Fleet.Runner(worker, attempts, () -> {
                if (first.getAndSet(false)) {
                    both.countDown();
                }
                return both.getCount() == 0; // the first job of each waits for the other's
            }));
        }
        for (int i = 0; i < 10; i++) {
            fleet.submit("job-" + i);
        }
        List<TrainingEvent> events = fleet.eventsUntilFinished(10);
        assertThat(attempts).hasSize(10).allSatisfy((_, n) -> assertThat(n).isEqualTo(1));
        Map<String, Set<String>> byWorker = events.stream()
                .filter(Claimed.class::isInstance)
                .map(Claimed.class::cast)
                .collect(groupingBy(Claimed::worker, mapping(Claimed::job, toSet())));
        assertThat(byWorker).containsOnlyKeys("a", "b");
    }

    @Test
    void aCommandWaitsForACheckpointStoreThatCannotBeUsed() {
        AtomicInteger tries = new AtomicInteger();
        fleet.start("w", (job, supervisor) -> {
            if (tries.getAndIncrement() == 0) {
                throw new CheckpointException("the store is away");
            }
            supervisor.tell(claimed(job.id(), 1, "w"));
            return Fleet.finish(supervisor, job.id(), 1);
        });
        fleet.submit("patient");
        assertThat(fleet.eventsUntilFinished(1)).extracting(TrainingEvent::job).containsOnly("patient");
        assertThat(tries).hasValue(2);
    }

    @Test
    void aFailedJobIsSettledAndTheLoopGoesOn() {
        AtomicInteger runs = new AtomicInteger();
        fleet.start("w", (job, supervisor) -> {
            supervisor.tell(claimed(job.id(), 7, "w"));
            if (runs.incrementAndGet() < 3) {
                Failed event = failed(job.id(), 7, "broke");
                supervisor.tell(event);
                return new Outcome.Failed(event);
            }
            return Fleet.finish(supervisor, job.id(), 7);
        });
        fleet.submit("first");
        fleet.submit("second");
        fleet.submit("third");
        assertThat(fleet.eventsUntilFinished(1))
                .filteredOn(Failed.class::isInstance)
                .containsExactly(failed("first", 7, "broke"), failed("second", 7, "broke"));
        assertThat(runs).hasValue(3);
    }

    @Test
    void whatBreaksBeforeAnAttemptIsADeadLetterAndTheLoopGoesOn() {
        AtomicInteger runs = new AtomicInteger();
        fleet.start("w", (job, supervisor) -> switch (runs.incrementAndGet()) {
            case 1 -> throw new IllegalStateException("broke");
            case 2 -> throw new StackOverflowError("deep");
            case 3 -> new Outcome.Rejected("nobody can run it");
            default -> Fleet.finish(supervisor, job.id(), 1);
        });
        fleet.submit("first");
        fleet.submit("second");
        fleet.submit("third");
        fleet.submit("fourth");
        assertThat(fleet.eventsUntilFinished(1)).singleElement().isInstanceOf(Finished.class);
        assertThat(fleet.read(Topic.DEAD_LETTER, read -> read.size() >= 3))
                .extracting(record -> Fleet.header(record, DeadLetter.REASON))
                .containsExactly(
                        "java.lang.IllegalStateException: broke",
                        "java.lang.StackOverflowError: deep",
                        "nobody can run it");
        assertThat(runs).hasValue(4);
    }

    @Test
    void aStoppingWorkerGivesItsJobToAnotherAtOnce() {
        Map<String, Integer> attempts = new ConcurrentHashMap<>();
        AtomicBoolean finish = new AtomicBoolean();
        ClaimLoop first = fleet.start("a", new Fleet.Runner("a", attempts, finish::get));
        fleet.submit("job");
        fleet.events(events -> events.stream().anyMatch(Claimed.class::isInstance));
        first.close();
        assertThat(first.ended()).isCompleted();
        fleet.start("b", new Fleet.Runner("b", attempts, () -> true));
        List<TrainingEvent> events = fleet.eventsUntilFinished(1);
        assertThat(events)
                .extracting(Object::getClass)
                .satisfies(types -> assertThat(types)
                        .isEqualTo(List.of(Claimed.class, Released.class, Claimed.class, Finished.class)));
        assertThat(events.getLast().attempt()).isEqualTo(2);
    }

    @Test
    void aLostDeviceGivesTheCommandBackAndTheLoopGoesOn() {
        AtomicInteger runs = new AtomicInteger();
        fleet.start("w", (job, supervisor) -> {
            int attempt = runs.incrementAndGet();
            supervisor.tell(new Claimed(job.id(), attempt, "w", "cuda:0"));
            if (attempt <= 2) {
                return Fleet.loseDevice(supervisor, job.id(), attempt);
            }
            return Fleet.finish(supervisor, job.id(), attempt);
        });
        fleet.submit("job");
        assertThat(fleet.eventsUntilFinished(1))
                .<Class<?>>extracting(Object::getClass)
                .containsExactly(
                        Claimed.class, Released.class, Claimed.class, Released.class, Claimed.class, Finished.class);
        assertThat(fleet.read(Topic.COMMANDS_NORMAL, read -> !read.isEmpty()))
                .as("given back, not published once more")
                .hasSize(1);
    }

    @Test
    void aDeviceLostAgainAndAgainEndsTheLoopSoThatTheProcessCanBeStartedAnew() {
        Map<String, Integer> attempts = new ConcurrentHashMap<>();
        ClaimLoop broken = fleet.start("broken", (job, supervisor) -> {
            int attempt = attempts.merge(job.id(), 1, Integer::sum);
            supervisor.tell(new Claimed(job.id(), attempt, "broken", "cuda:0"));
            return Fleet.loseDevice(supervisor, job.id(), attempt);
        });
        fleet.submit("job");
        assertThat(broken.ended())
                .failsWithin(Patience.LIMIT)
                .withThrowableThat()
                .withMessageContaining("worker=broken lost its device 3 times in a row")
                .withMessageContaining("has to be started anew");
        fleet.start("whole", new Fleet.Runner("whole", attempts, () -> true));
        TrainingEvent end = fleet.eventsUntilFinished(1).getLast();
        assertThat(end.attempt()).isEqualTo(4);
    }

    @Test
    void aCommandReleasedAgainAndAgainIsNeverDropped() {
        int releases = 12; // the broker drops a command after ten deliveries
        AtomicInteger runs = new AtomicInteger();
        fleet.start("w", (job, supervisor) -> {
            int run = runs.incrementAndGet();
            if (run <= releases) {
                return Fleet.release(supervisor, job.id(), run);
            }
            return Fleet.finish(supervisor, job.id(), run);
        });
        fleet.submit("job");
        fleet.eventsUntilFinished(1);
        assertThat(runs).hasValue(releases + 1);
        assertThat(fleet.read(Topic.COMMANDS_NORMAL, read -> read.size() >= 2))
                .as("the command, published once more")
                .hasSize(2)
                .allSatisfy(record -> assertThat(new String(record.key(), StandardCharsets.UTF_8))
                        .isEqualTo("job"));
    }
}
