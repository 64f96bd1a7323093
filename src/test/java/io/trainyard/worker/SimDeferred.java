package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.share.ProjectRule;
import io.trainyard.share.ProjectRules;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/// One real worker with two slots in a simulated world without faults, and deferred commands: the project `p1`
/// may run one job at a time.
final class SimDeferred extends SimFleet {
    private static final Duration BOUND = Duration.ofMinutes(30);

    private final List<TrainingEvent> published = new ArrayList<>();

    SimDeferred() {
        this(SimSeams.NONE);
    }

    SimDeferred(SimSeams seams) {
        super(1, "deferred", seams);
        judge.onEvent(this::receive);
        startWorker();
    }

    @Override
    SimWorker worker(SimProcess process) {
        ProjectRules rules =
                new ProjectRules(Duration.ofMinutes(5), ProjectRule.PLAIN, Map.of("p1", new ProjectRule(1, 1, null)));
        double beats = (double) rules.window().toMillis() / fleet.beat().toMillis();
        return super.worker(process).slots(2).sharing(new ProjectShares.Rules(rules, beats));
    }

    private void receive(EventRecord event) {
        published.add(event.event());
    }

    void submit(String job, Priority priority) {
        people.submit(job, priority);
    }

    /// Hands the next command of a job's topic to a member that does nothing with it.
    void lockElsewhere(String job, Priority priority) {
        var _ = kafka.group(priority.topicOf(SimTraining.spec(job)).name(""))
                .acquire(new Object())
                .orElseThrow();
    }

    void desiredState(String job, DesiredState desiredState) {
        people.desiredState(job, desiredState);
    }

    /// Submits a job, and waits until its command is deferred.
    void deferForProject(String job, Priority priority) {
        submit(job, priority);
        until("job %s to be parked".formatted(job), () -> isDeferred(job));
    }

    /// Submits a job, and waits until it runs.
    void run(String job, Priority priority) {
        submit(job, priority);
        until("job %s to run".formatted(job), () -> claims(job) > 0);
    }

    void until(String what, BooleanSupplier come) {
        assertThat(world.runUntil(come, BOUND)).as(what).isTrue();
    }

    void pass(Duration time) {
        world.run(time);
    }

    /// Whether a command of a job is deferred.
    boolean isDeferred(String job) {
        SimTopic ownership = kafka.topic(Topic.OWNERSHIP);
        Map<String, Boolean> deferred = new HashMap<>();
        for (SimTopic.Entry entry : ownership.from(ownership.start(), Integer.MAX_VALUE)) {
            deferred.put(
                    String.valueOf(entry.key()),
                    entry.value() != null && entry.headers().lastHeader(DeferredRecord.DEFERRED) != null);
        }
        return deferred.entrySet().stream().anyMatch(one -> one.getKey().startsWith(job + "/") && one.getValue());
    }

    boolean isPublished(String job, Class<? extends TrainingEvent> event) {
        return published.stream().anyMatch(one -> one.job().equals(job) && event.isInstance(one));
    }

    boolean isAnyPublished(Class<? extends TrainingEvent> event) {
        return published.stream().anyMatch(event::isInstance);
    }

    int claims(String job) {
        return (int) published.stream()
                .filter(event -> event instanceof Claimed && event.job().equals(job))
                .count();
    }

    /// Jobs in the order in which they were claimed.
    List<String> claimed() {
        return published.stream()
                .filter(Claimed.class::isInstance)
                .map(TrainingEvent::job)
                .toList();
    }

    /// Violations, as sentences.
    List<String> wrong() {
        return judge.wrong();
    }
}
