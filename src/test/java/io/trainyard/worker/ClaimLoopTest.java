package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.event.FailureCause;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
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

    /// The brokers persist an acknowledgement only together with the next one.
    @Test
    void onlyProcessedCommandsAreDeleted() {
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

    @Test
    void repeatedFaultsEndTheLoop() {
        FleetWorker broken = fleet.start("broken", (job, attempt, supervisor) -> {
            supervisor.publish(new Claimed(job.id(), attempt, "broken", "cpu"));
            return Fleet.runShort(supervisor, job.id(), attempt);
        });
        fleet.submit("job");
        assertThat(broken.claims.ended())
                .failsWithin(Patience.LIMIT)
                .withThrowableThat()
                .withMessageContaining("worker=broken could not run 3 jobs in a row")
                .withMessageContaining("Restart the worker");
        var _ = fleet.start("whole", fleet.runner("whole"));
        TrainingEvent end = fleet.eventsUntilFinished(1).getLast();
        assertThat(end.attempt()).isEqualTo(4);
    }

    /// While the only capable worker is busy, no attempts are used up.
    @Test
    void refusalsUseUpNoAttempts() {
        AtomicBoolean over = new AtomicBoolean();
        FleetWorker rich = fleet.start("rich", fleet.runner("rich", over::get));
        fleet.submit("long");
        var _ = fleet.events(all -> all.stream().anyMatch(Claimed.class::isInstance));
        FleetWorker poor = fleet.start("poor", (job, attempt, supervisor) -> {
            supervisor.publish(new Claimed(job.id(), attempt, "poor", "cpu"));
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
    void aJobThatAllWorkersRefuseFails() {
        var _ = fleet.start("poor", (job, attempt, supervisor) -> {
            supervisor.publish(new Claimed(job.id(), attempt, "poor", "cpu"));
            return Fleet.lack(supervisor, job.id(), attempt);
        });
        fleet.submit("job");
        List<TrainingEvent> events = fleet.events(all -> all.stream().anyMatch(Failed.class::isInstance));
        assertThat(events.getLast()).isEqualTo(failed("job", 1, "the dataset is not here", FailureCause.LACKING));
    }

    @Test
    void aHangingJobEndsTheLoop() {
        CountDownLatch never = new CountDownLatch(1);
        FleetWorker worker = fleet.start("w", (job, attempt, supervisor) -> {
            supervisor.publish(claimed(job.id(), attempt, "w"));
            supervisor.alive(Duration.ofMillis(100));
            boolean ignored = false;
            while (!ignored) {
                try {
                    never.await();
                    ignored = true;
                } catch (InterruptedException _) {
                    ignored = never.getCount() == 0; // ignores interrupts
                }
            }
            return fleet.finish(supervisor, job.id(), attempt);
        });
        fleet.submit("job");
        assertThatThrownBy(() -> Patience.get(worker.claims.ended())).hasMessageContaining("does not stop");
        never.countDown();
    }

    /// Finding an unexpected error needs the stack trace.
    @Test
    void unexpectedErrorsAreLoggedWithTheirStack() {
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
}
