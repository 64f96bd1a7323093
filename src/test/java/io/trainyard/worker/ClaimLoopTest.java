package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.event.Control.Wish;
import io.trainyard.event.FailureCause;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@Slow
class ClaimLoopTest {
    private final Fleet fleet = new Fleet();

    @AfterEach
    void close() {
        fleet.close();
    }

    @Test
    void runsACommandThatWasThereBeforeTheFirstWorker() {
        fleet.submit("early");
        var _ = fleet.start("w", fleet.runner("w"));
        assertThat(fleet.eventsUntilFinished(1)).extracting(TrainingEvent::job).containsOnly("early");
    }

    @Test
    void twoLoopsShareTenJobsEachOnce() {
        CountDownLatch both = new CountDownLatch(2);
        for (String worker : List.of("a", "b")) {
            AtomicBoolean first = new AtomicBoolean(true);
            var _ = fleet.start(worker, fleet.runner(worker, () -> {
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
        assertThat(events).hasSize(20).allMatch(event -> event.attempt() == 1);
        Map<String, Set<String>> byWorker = events.stream()
                .filter(Claimed.class::isInstance)
                .map(Claimed.class::cast)
                .collect(groupingBy(Claimed::worker, mapping(Claimed::job, toSet())));
        assertThat(byWorker).containsOnlyKeys("a", "b");
    }

    /// The brokers note that a command is dealt with when they note the next one.
    @Test
    void commandsThatHaveBeenDealtWithAreDeletedAndNoOthers() {
        AtomicBoolean finish = new AtomicBoolean(true);
        FleetWorker worker = fleet.start("w", fleet.runner("w", finish::get));
        fleet.submit("first");
        fleet.submit("second");
        fleet.eventsUntilFinished(2);
        finish.set(false);
        fleet.submit("third");
        fleet.submit("waits");
        fleet.events(events -> events.stream().anyMatch(event -> event.job().equals("third")));
        Patience.await("two commands to be deleted").until(() -> {
            worker.sweep.sweep();
            return fleet.read(Topic.COMMANDS_NORMAL, read -> !read.isEmpty())
                            .getFirst()
                            .offset()
                    == 2;
        });
        finish.set(true);
        fleet.eventsUntilFinished(4);
    }

    /// A producer's retry, a copy too many: whoever comes first has the job.
    @Test
    void everyCommandTwiceIsOneRunEach() {
        for (int i = 0; i < 5; i++) {
            fleet.submit("job-" + i);
            fleet.submit("job-" + i);
        }
        for (String worker : List.of("a", "b")) {
            var _ = fleet.start(worker, fleet.runner(worker));
        }
        fleet.eventsUntilFinished(5);
        fleet.submit("last");
        List<TrainingEvent> events = fleet.eventsUntilFinished(6);
        assertThat(events).filteredOn(Claimed.class::isInstance).hasSize(6);
        assertThat(events).allMatch(event -> event.attempt() == 1);
    }

    @Test
    void anotherJobUnderTheIdOfOneThatRunsIsADeadLetterAndDoesNotDisturbIt() {
        AtomicBoolean finish = new AtomicBoolean();
        var _ = fleet.start("a", fleet.runner("a", finish::get));
        var _ = fleet.start("b", fleet.runner("b"));
        fleet.submit("job");
        fleet.events(events -> !events.isEmpty());
        fleet.submit(
                "job",
                Fleet.job("job").replace("\"epochs\": 1", "\"epochs\": 2").getBytes(StandardCharsets.UTF_8));
        assertThat(fleet.read(Topic.DEAD_LETTER, read -> !read.isEmpty()))
                .extracting(record -> Fleet.header(record, DeadLetter.REASON))
                .containsExactly("the id \"job\" belongs to another job already; give this one an id of its own");
        finish.set(true);
        assertThat(fleet.eventsUntilFinished(1)).hasSize(2).allMatch(event -> event.attempt() == 1);
    }

    @Test
    void aStoppingWorkerGivesItsJobToAnotherAtOnce() {
        AtomicBoolean finish = new AtomicBoolean();
        FleetWorker first = fleet.start("a", fleet.runner("a", finish::get));
        fleet.submit("job");
        fleet.events(events -> events.stream().anyMatch(Claimed.class::isInstance));
        first.close();
        assertThat(first.claims.ended()).isCompleted();
        finish.set(true);
        var _ = fleet.start("b", fleet.runner("b"));
        List<TrainingEvent> events = fleet.eventsUntilFinished(1);
        assertThat(events)
                .<Class<?>>extracting(Object::getClass)
                .containsExactly(Claimed.class, Released.class, Claimed.class, Finished.class);
        assertThat(events.getLast().attempt()).isEqualTo(2);
    }

    /// The holder's heartbeats stop, as when it is killed or cut off: so its job goes to another, and what it still
    /// says
    /// is that of an older attempt.
    @Test
    void aJobWhoseHolderFallsSilentGoesToAnother() {
        AtomicBoolean silent = new AtomicBoolean();
        String heartbeats = Topic.WORKERS.name(fleet.prefix);
        Outbox outbox = (topic, key, value, headers) -> silent.get() && topic.equals(heartbeats)
                ? new CompletableFuture<>()
                : fleet.outbox.send(topic, key, value, headers);
        AtomicBoolean finish = new AtomicBoolean();
        var _ = fleet.start(
                new FleetWorker.Setup("a", Set.of("cpu"), outbox, Duration.ofSeconds(1)),
                fleet.runner("a", finish::get));
        fleet.submit("job");
        fleet.events(events -> !events.isEmpty());
        var _ = fleet.start("b", fleet.runner("b"));
        silent.set(true);
        List<TrainingEvent> events = fleet.eventsUntilFinished(1);
        assertThat(events)
                .filteredOn(Claimed.class::isInstance)
                .extracting(TrainingEvent::attempt)
                .containsExactly(1, 2);
        assertThat(events.getLast()).isInstanceOf(Finished.class);
        assertThat(events.getLast().attempt()).isEqualTo(2);
        finish.set(true);
    }

    @Test
    void aFaultGivesTheJobBackAndTheLoopGoesOn() {
        AtomicInteger runs = new AtomicInteger();
        var _ = fleet.start("w", (job, attempt, supervisor) -> {
            supervisor.tell(new Claimed(job.id(), attempt, "w", "cpu"));
            return runs.incrementAndGet() <= 2
                    ? Fleet.runShort(supervisor, job.id(), attempt)
                    : fleet.finish(supervisor, job.id(), attempt);
        });
        fleet.submit("job");
        assertThat(fleet.eventsUntilFinished(1))
                .<Class<?>>extracting(Object::getClass)
                .containsExactly(
                        Claimed.class, Released.class, Claimed.class, Released.class, Claimed.class, Finished.class);
    }

    @Test
    void aFaultAgainAndAgainEndsTheLoopSoThatTheProcessCanBeStartedAnew() {
        FleetWorker broken = fleet.start("broken", (job, attempt, supervisor) -> {
            supervisor.tell(new Claimed(job.id(), attempt, "broken", "cpu"));
            return Fleet.runShort(supervisor, job.id(), attempt);
        });
        fleet.submit("job");
        assertThat(broken.claims.ended())
                .failsWithin(Patience.LIMIT)
                .withThrowableThat()
                .withMessageContaining("worker=broken could not run 3 jobs in a row")
                .withMessageContaining("has to be started anew");
        var _ = fleet.start("whole", fleet.runner("whole"));
        TrainingEvent end = fleet.eventsUntilFinished(1).getLast();
        assertThat(end.attempt()).isEqualTo(4);
    }

    @Test
    void aLostDeviceEndsTheLoopSoThatTheProcessCanBeStartedAnew() {
        FleetWorker broken = fleet.start("broken", (job, attempt, supervisor) -> {
            supervisor.tell(new Claimed(job.id(), attempt, "broken", "cuda:0"));
            return Fleet.loseDevice(supervisor, job.id(), attempt);
        });
        fleet.submit("job");
        assertThat(broken.claims.ended())
                .failsWithin(Patience.LIMIT)
                .withThrowableThat()
                .withMessageContaining("worker=broken has lost its device, which this process cannot use any more")
                .withMessageContaining("has to be started anew");
        var _ = fleet.start("whole", fleet.runner("whole"));
        TrainingEvent end = fleet.eventsUntilFinished(1).getLast();
        assertThat(end.attempt()).isEqualTo(2);
    }

    /// A worker that lacks a data set takes a pause instead of one job after the other.
    @Test
    void aJobThatOneWorkerCannotRunGoesToAnother() {
        FleetWorker poor = fleet.start("poor", (job, attempt, supervisor) -> {
            supervisor.tell(new Claimed(job.id(), attempt, "poor", "cpu"));
            return Fleet.lack(supervisor, job.id(), attempt);
        });
        FleetWorker rich = fleet.start("rich", fleet.runner("rich"));
        Patience.await("each to hear of the other")
                .until(() -> poor.view.live().size() == 2 && rich.view.live().size() == 2);
        for (int i = 0; i < 10; i++) {
            fleet.submit("job-" + i);
        }
        assertThat(fleet.eventsUntilFinished(10)).noneMatch(Failed.class::isInstance);
    }

    /// While the one that could run it is busy, attempts at it are not used up.
    @Test
    void aJobThatAWorkerLacksSomethingForWaitsWithoutMoreAttempts() {
        AtomicBoolean over = new AtomicBoolean();
        FleetWorker rich = fleet.start("rich", fleet.runner("rich", over::get));
        fleet.submit("long");
        var _ = fleet.events(all -> all.stream().anyMatch(Claimed.class::isInstance));
        FleetWorker poor = fleet.start("poor", (job, attempt, supervisor) -> {
            supervisor.tell(new Claimed(job.id(), attempt, "poor", "cpu"));
            return Fleet.lack(supervisor, job.id(), attempt);
        });
        Patience.await("each to hear of the other")
                .until(() -> poor.view.live().size() == 2 && rich.view.live().size() == 2);
        fleet.submit("job");
        var _ = fleet.read(
                Topic.COMMANDS_NORMAL,
                all -> all.stream()
                                .filter(record -> new String(record.key(), StandardCharsets.UTF_8).equals("job"))
                                .count()
                        >= 4);
        over.set(true);
        TrainingEvent end = fleet.eventsUntilFinished(2).stream()
                .filter(event -> event instanceof Finished && event.job().equals("job"))
                .findFirst()
                .orElseThrow();
        assertThat(end.attempt()).isEqualTo(2);
    }

    @Test
    void whatNobodyThatIsThereCanRunHasFailed() {
        var _ = fleet.start("poor", (job, attempt, supervisor) -> {
            supervisor.tell(new Claimed(job.id(), attempt, "poor", "cpu"));
            return Fleet.lack(supervisor, job.id(), attempt);
        });
        fleet.submit("job");
        List<TrainingEvent> events = fleet.events(all -> all.stream().anyMatch(Failed.class::isInstance));
        assertThat(events.getLast()).isEqualTo(failed("job", 1, "the data set is not here", FailureCause.LACKING));
    }

    @Test
    void aJobThatDoesNotStopEndsTheLoopSoThatTheProcessCanBeStartedAnew() {
        CountDownLatch never = new CountDownLatch(1);
        FleetWorker worker = fleet.start("w", (job, attempt, supervisor) -> {
            supervisor.tell(claimed(job.id(), attempt, "w"));
            supervisor.alive(Duration.ofMillis(100));
            boolean ignored = false;
            while (!ignored) {
                try {
                    never.await();
                    ignored = true;
                } catch (InterruptedException _) {
                    ignored = never.getCount() == 0; // deaf
                }
            }
            return fleet.finish(supervisor, job.id(), attempt);
        });
        fleet.submit("job");
        assertThatThrownBy(() -> Patience.get(worker.claims.ended())).hasMessageContaining("does not stop");
        never.countDown();
    }

    /// What nobody expected has to be found in the code.
    @Test
    void anErrorOfTheWorkersOwnIsLoggedWithItsStack() {
        try (LogRecords log = LogRecords.of(ClaimLoop.class)) {
            AtomicInteger sends = new AtomicInteger();
            String dead = Topic.DEAD_LETTER.name(fleet.prefix);
            Outbox brokenOnce = (topic, key, value, headers) -> {
                if (topic.equals(dead) && sends.getAndIncrement() == 0) {
                    throw new IllegalStateException("broken");
                }
                return fleet.outbox.send(topic, key, value, headers);
            };
            var _ = fleet.start(new FleetWorker.Setup("w", Set.of("cpu"), brokenOnce), fleet.runner("w"));
            fleet.submit("bad", "{".getBytes(StandardCharsets.UTF_8));
            assertThat(fleet.read(Topic.DEAD_LETTER, read -> !read.isEmpty())).hasSize(1);
            assertThat(log.warnings())
                    .extracting(LogRecord::getThrown)
                    .first()
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void whatIsWantedOfAJobIsDone() {
        AtomicBoolean finish = new AtomicBoolean();
        var _ = fleet.start("w", fleet.runner("w", finish::get));
        fleet.submit("cancelled");
        fleet.events(events -> !events.isEmpty());
        fleet.wish("cancelled", Wish.CANCEL);
        fleet.events(events -> events.stream().anyMatch(Cancelled.class::isInstance));

        fleet.submit("paused");
        fleet.events(events -> events.stream().anyMatch(event -> event.job().equals("paused")));
        fleet.wish("paused", Wish.PAUSE);
        fleet.events(events -> events.stream().anyMatch(Paused.class::isInstance));
        finish.set(true);
        fleet.submit("other");
        fleet.eventsUntilFinished(1);
        fleet.wish("paused", Wish.RUN);
        List<TrainingEvent> events = fleet.eventsUntilFinished(2);
        assertThat(events)
                .filteredOn(event -> event.job().equals("paused"))
                .<Class<?>>extracting(Object::getClass)
                .containsExactly(Claimed.class, Paused.class, Resumed.class, Claimed.class, Finished.class);
        assertThat(events).filteredOn(event -> event.job().equals("cancelled")).hasSize(2);
    }

    /// A waiting job is cancelled at once, and paused before it begins.
    @Test
    void whatIsWantedOfAJobThatWaitsIsKnownBeforeItBegins() {
        AtomicBoolean finish = new AtomicBoolean();
        var _ = fleet.start("w", fleet.runner("w", finish::get));
        fleet.submit("first");
        fleet.events(events -> !events.isEmpty());
        fleet.submit("never");
        fleet.submit("later");
        fleet.wish("never", Wish.CANCEL);
        fleet.wish("later", Wish.PAUSE);
        fleet.events(events -> events.stream().anyMatch(Cancelled.class::isInstance)
                && events.stream().anyMatch(Paused.class::isInstance));
        finish.set(true);
        fleet.submit("last");
        List<TrainingEvent> events = fleet.eventsUntilFinished(2);
        assertThat(events)
                .filteredOn(event -> List.of("never", "later").contains(event.job()))
                .noneMatch(Claimed.class::isInstance);
        fleet.wish("later", Wish.RUN);
        fleet.eventsUntilFinished(3);
    }
}
