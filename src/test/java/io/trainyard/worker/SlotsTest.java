package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.released;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.WorkerStatus;
import io.trainyard.topics.Topic;
import io.trainyard.training.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A worker with several jobs at once.
@Slow
class SlotsTest {
    private static final List<String> JOBS = List.of("one", "two", "three");

    private final Fleet fleet = new Fleet();
    private final AtomicBoolean finish = new AtomicBoolean();

    @AfterEach
    void close() {
        finish.set(true);
        fleet.close();
    }

    private FleetWorker start(String worker, int slots, JobRunner runner) {
        return fleet.start(new FleetWorker.Setup(worker, Set.of("cpu"), fleet.outbox).slots(slots), runner);
    }

    private List<TrainingEvent> untilClaimed(int count) {
        return fleet.events(
                events -> events.stream().filter(Claimed.class::isInstance).count() >= count);
    }

    private static List<TrainingEvent> of(Class<? extends TrainingEvent> type, List<TrainingEvent> events) {
        return events.stream().filter(type::isInstance).toList();
    }

    private static WorkerStatus status(ConsumerRecord<byte[], byte[]> heartbeat) {
        try {
            return EventJson.readStatus(heartbeat.value());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void oneJobPerSlotRunsAtOnce() {
        FleetWorker worker = start("w", 3, fleet.runner("w", finish::get));
        JOBS.forEach(fleet::submit);
        assertThat(untilClaimed(3)).extracting(TrainingEvent::job).containsExactlyInAnyOrderElementsOf(JOBS);
        assertThat(worker.activity.jobs()).extracting(WorkerStatus.Job::job).containsExactlyInAnyOrderElementsOf(JOBS);
        fleet.submit("four");
        fleet.read(
                Topic.WORKERS,
                records ->
                        !records.isEmpty() && status(records.getLast()).jobs().size() == 3);
        finish.set(true);
        List<TrainingEvent> events = fleet.eventsUntilFinished(4);
        List<TrainingEvent> claims = of(Claimed.class, events);
        assertThat(claims).hasSize(4).allMatch(event -> event.attempt() == 1);
        assertThat(claims.getLast().job()).isEqualTo("four");
        assertThat(events.indexOf(claims.getLast()))
                .as("after one of the others has ended")
                .isGreaterThan(events.indexOf(of(Finished.class, events).getFirst()));
    }

    /// One job finds out, and the worker releases all others.
    @Test
    void aLostDeviceEndsAllSlots() {
        CountDownLatch lost = new CountDownLatch(1);
        FleetWorker broken = start("broken", 3, (job, attempt, supervisor) -> {
            if (!job.id().equals("two")) {
                return fleet.runner("broken", finish::get).run(job, attempt, supervisor);
            }
            supervisor.publish(claimed(job.id(), attempt, "broken"));
            Patience.await("the loss").until(() -> lost.getCount() == 0);
            return Fleet.loseDevice(supervisor, job.id(), attempt);
        });
        JOBS.forEach(fleet::submit);
        untilClaimed(3);
        lost.countDown();
        assertThat(broken.claims.ended())
                .failsWithin(Patience.LIMIT)
                .withThrowableThat()
                .withMessageContaining("worker=broken has lost its device");
        finish.set(true);
        start("whole", 3, fleet.runner("whole", finish::get));
        List<TrainingEvent> events = fleet.eventsUntilFinished(3);
        assertThat(of(Released.class, events)).hasSize(3);
        assertThat(of(Finished.class, events)).allMatch(event -> event.attempt() == 2);
    }

    /// The first job has all the memory.
    @Test
    void aJobWithoutMemoryWaitsForTheOtherJob() {
        start("w", 2, (job, attempt, supervisor) -> {
            if (job.id().equals("small") || finish.get()) {
                return fleet.runner("w", finish::get).run(job, attempt, supervisor);
            }
            supervisor.publish(claimed(job.id(), attempt, "w"));
            Released event = released(job.id(), attempt, 0, "there is no room");
            supervisor.publish(event);
            return new Outcome.DeviceBusy(event);
        });
        fleet.submit("small");
        untilClaimed(1);
        fleet.submit("large");
        fleet.read(
                Topic.COMMANDS_NORMAL,
                records -> records.size() >= 4); // both, and the second one's copy after its release
        finish.set(true);
        List<TrainingEvent> events = fleet.eventsUntilFinished(2);
        assertThat(of(Claimed.class, events)).hasSize(3);
        assertThat(of(Finished.class, events))
                .extracting(TrainingEvent::attempt)
                .containsExactlyInAnyOrder(1, 2);
    }
}
