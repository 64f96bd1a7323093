package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Urgent jobs on fleets that are full, with a real broker.
@Slow
class PreemptionTest {
    private final Fleet fleet = new Fleet();
    private final AtomicBoolean over = new AtomicBoolean();

    @AfterEach
    void close() {
        fleet.close();
    }

    /// Urgent jobs are done at once, all others when the test says so.
    private void start(String worker) {
        JobRunner soon = fleet.runner(worker);
        JobRunner later = fleet.runner(worker, over::get);
        var _ = fleet.start(
                worker,
                (job, attempt, supervisor) ->
                        (job.id().startsWith("urgent") ? soon : later).run(job, attempt, supervisor));
    }

    private void submit(Topic topic, String job) {
        submit(topic, job, Fleet.job(job));
    }

    private void submit(Topic topic, String job, String body) {
        fleet.submit(topic, job, body.getBytes(StandardCharsets.UTF_8));
    }

    private List<TrainingEvent> eventsUntil(Predicate<TrainingEvent> last) {
        return fleet.events(events -> events.stream().anyMatch(last));
    }

    private void occupy(Topic topic, String job) {
        submit(topic, job);
        eventsUntil(event -> event instanceof Claimed && event.job().equals(job));
    }

    @Test
    void theLeastUrgentJobMakesRoomAndGoesOn() {
        start("a");
        start("b");
        occupy(Topic.COMMANDS_NORMAL, "normal");
        occupy(Topic.COMMANDS_LOW, "low");
        submit(Topic.COMMANDS_HIGH, "urgent");
        List<TrainingEvent> events = eventsUntil(event -> event instanceof Finished);
        assertThat(events)
                .filteredOn(Released.class::isInstance)
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.job()).isEqualTo("low");
                    assertThat(((Released) event).preemptedBy()).isEqualTo("urgent");
                });
        assertThat(holder(events, "urgent")).isEqualTo(holder(events, "low"));
        over.set(true);
        assertThat(fleet.eventsUntilFinished(3))
                .filteredOn(Finished.class::isInstance)
                .extracting(event -> event.job() + " " + event.attempt())
                .containsExactlyInAnyOrder("urgent 1", "normal 1", "low 2");
        assertThat(fleet.store.has("low/attempts/1.preempted")).isTrue();
    }

    private static String holder(List<TrainingEvent> events, String job) {
        return events.stream()
                .filter(event -> event instanceof Claimed && event.job().equals(job))
                .map(event -> ((Claimed) event).worker())
                .findFirst()
                .orElseThrow();
    }
}
