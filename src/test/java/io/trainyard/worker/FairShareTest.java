package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.share.ProjectRule;
import io.trainyard.share.ProjectRules;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Projects share real workers on a real broker.
@Slow
class FairShareTest {
    private Fleet fleet;

    @BeforeEach
    void open() {
        fleet = new Fleet();
    }

    @AfterEach
    void close() {
        fleet.close();
    }

    private void submit(String id, String project) {
        fleet.submit(id, """
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 1, "project": "%s"}""".formatted(id, project).getBytes(StandardCharsets.UTF_8));
    }

    private void start(String worker, Map<String, ProjectRule> named, JobRunner runner) {
        ProjectShares.Rules rules =
                new ProjectShares.Rules(new ProjectRules(Duration.ofMinutes(1), ProjectRule.PLAIN, named), 240);
        fleet.start(
                new FleetWorker.Setup(worker, Set.of("cpu"), fleet.outbox)
                        .slots(2)
                        .sharing(rules),
                runner);
    }

    private JobRunner running(String worker, Duration time, AtomicInteger now, AtomicInteger most) {
        return (job, attempt, supervisor) -> {
            supervisor.publish(SampleEvents.claimed(job.id(), attempt, worker));
            boolean counts = "small".equals(job.project());
            most.accumulateAndGet(counts ? now.incrementAndGet() : 0, Math::max);
            LockSupport.parkNanos(time.toNanos());
            if (counts) {
                now.decrementAndGet();
            }
            return fleet.finish(supervisor, job.id(), attempt);
        };
    }

    @Test
    void aQuotaOfOneIsNeverExceeded() {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Map<String, ProjectRule> named = Map.of("small", new ProjectRule(1, 1, null));
        for (String worker : List.of("w1", "w2")) {
            start(worker, named, running(worker, Duration.ofMillis(100), now, most));
        }
        for (int i = 1; i <= 6; i++) {
            submit("small-" + i, "small");
            submit("other-" + i, "other");
        }
        List<TrainingEvent> events = fleet.eventsUntilFinished(12);
        Fleet.assertAttemptsAreNumbered(events);
        assertThat(most).hasValue(1);
    }
}
