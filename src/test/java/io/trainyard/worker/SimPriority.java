package io.trainyard.worker;

import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import io.trainyard.worker.SimKafka.Weather;
import io.trainyard.worker.SimTraining.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A fleet of real workers in a simulated world that receives high-priority jobs. Without faults, these begin
/// at once and cost no step. With or without faults, no job is preempted more often than allowed, and all jobs
/// end.
final class SimPriority extends SimFleet {
    /// How soon a high-priority job begins on a full fleet: a step may take three seconds, and a job that just
    /// began becomes known with the next heartbeat.
    static final Duration SOON = Duration.ofSeconds(10);

    private static final Duration BOUND = Duration.ofMinutes(60);
    private static final Duration STORM = Duration.ofMinutes(4);
    private static final int TROUBLES = 8;
    private static final Duration ACQUAINTED = Duration.ofSeconds(60);

    /// The number of high-priority jobs: the others may be preempted, and must end before this many have ended.
    private static final int FLOOD = 5 * ClaimPriorities.CYCLE;

    enum Course {
        /// All workers are busy, and high-priority jobs arrive.
        FULL,
        /// All workers but one are busy. High-priority jobs arrive there one after the other, and the store is
        /// slow.
        FREE,
        /// One worker has one job, and more high-priority jobs arrive than may preempt it.
        AGAIN,
        /// All workers are busy, and faults are injected.
        WILD,
        /// One worker has more high-priority jobs than it can run, and some of lower priority.
        FLOOD
    }

    private final Course course;
    private final List<String> jobs = new ArrayList<>();
    private final Map<String, Long> submittedNanos = new LinkedHashMap<>(); // when they were submitted
    private final Map<String, Long> startedNanos = new HashMap<>();
    private final Map<String, Integer> preemptions = new HashMap<>();
    private final Map<String, Set<String>> steps = new HashMap<>(); // the steps and their attempts

    SimPriority(long seed, SimSeams seams) {
        super(seed, "urgency", seams);
        course = Course.values()[Math.floorMod(seed, Course.values().length)];
        listen(Topic.JOBS);
        listen(Topic.STEPS);
    }

    Course course() {
        return course;
    }

    private void listen(Topic topic) {
        SimTopic log = kafka.topic(topic);
        log.atAppend(() -> {
            byte[] body = log.from(log.end() - 1, 1).getFirst().value();
            if (body != null) {
                receive(event(body));
            }
        });
    }

    private static TrainingEvent event(byte[] json) {
        try {
            return EventJson.readEvent(json).event();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void receive(TrainingEvent event) {
        switch (event) {
            case Started started -> startedNanos.putIfAbsent(started.job(), world.nanos());
            case StepLosses losses ->
                steps.computeIfAbsent(losses.job(), _ -> new HashSet<>())
                        .add(losses.attempt() + " " + losses.firstStep());
            case Released released
            when released.preemptedBy() != null ->
                preemptions.merge(released.job() + " " + released.attempt(), 1, Integer::sum);
            default -> {} // not counted
        }
    }

    /// How often a job was preempted. Republished events of an attempt count once.
    private int preemptions(String job) {
        return (int) preemptions.keySet().stream()
                .filter(attempt -> attempt.startsWith(job + " "))
                .count();
    }

    private int preemptions() {
        return preemptions.size();
    }

    /// Runs the world.
    ///
    /// @return violations, as sentences
    List<String> run() {
        kafka.weather(new Weather(Duration.ofMillis(50), 0, 0));
        store.slow(Duration.ofMillis(course == Course.FREE ? 300 : 50));
        if (course == Course.FLOOD) {
            return flood();
        }
        int size = course == Course.AGAIN ? 1 : 2 + chance.nextInt(3);
        for (int i = 0; i < size; i++) {
            startWorker();
        }
        occupy(course == Course.FREE ? size - 1 : size);
        world.run(ACQUAINTED);
        int urgent = course == Course.AGAIN ? 2 * SimWorker.MAX_PREEMPTIONS : 1 + chance.nextInt(size);
        for (int i = 1; i <= urgent; i++) {
            String job = Kind.TINY.id(i);
            jobs.add(job);
            Duration when = course == Course.FREE || course == Course.AGAIN
                    ? Duration.ofSeconds(20L * i)
                    : within(Duration.ofMinutes(2));
            SimTimer _ = world.after(when, () -> {
                submittedNanos.put(job, world.nanos());
                command(job, Priority.HIGH);
            });
            if (course == Course.FULL) { // a client that got no answer submits it again after its end
                SimTimer _ = world.after(when.plusSeconds(30), () -> command(job, Priority.HIGH));
            }
        }
        if (course == Course.WILD) {
            rage();
        }
        if (!world.runUntil(() -> jobs.stream().allMatch(this::isOver), BOUND)) {
            jobs.stream().filter(job -> !isOver(job)).forEach(job -> wrong.add("job " + job + " does not end"));
        }
        world.run(Duration.ofSeconds(100)); // frozen workers continue
        wrong.addAll(judge.wrong());
        for (String job : jobs) {
            if (preemptions(job) > (Kind.of(job) == Kind.MINUTES ? SimWorker.MAX_PREEMPTIONS : 0)) {
                wrong.add("job %s is preempted %d times".formatted(job, preemptions(job)));
            }
        }
        if (course != Course.WILD) {
            wrong.addAll(unlikeCalm());
        }
        return wrong;
    }

    @Override
    Duration absence() {
        return within(Duration.ZERO);
    }

    /// Injects all kinds of faults for a while: requests are lost and refused, workers are killed, stopped and frozen,
    /// brokers restart, and acknowledged commands are deleted.
    private void rage() {
        kafka.weather(new Weather(Duration.ofMillis(50), chance.nextInt(3) * 0.05, 0.01));
        perils.share(List.of(0.0, 0.002, 0.01).get(chance.nextInt(3)));
        for (int i = 0; i < TROUBLES; i++) {
            SimTimer _ = world.after(within(STORM), this::goWrong);
        }
        world.run(STORM);
        endFaults();
    }

    private void goWrong() {
        switch (chance.nextInt(6)) {
            case 0, 1 -> some().process().crash();
            case 2 -> some().stop();
            case 3 ->
                some().process().freeze(Duration.ofSeconds(List.of(3, 40, 100).get(chance.nextInt(3))));
            case 4 -> kafka.restart(Duration.ofSeconds(chance.nextBoolean() ? 5 : 40));
            default -> kafka.sweep();
        }
    }

    /// Short jobs that are all submitted at first: the ones of lower priority end while high-priority ones
    /// still wait.
    private List<String> flood() {
        List<String> others = new ArrayList<>();
        for (int i = 1; i <= FLOOD; i++) {
            jobs.add(Kind.TINY.id(i));
            command(Kind.TINY.id(i), Priority.HIGH);
        }
        for (int i = FLOOD + 1; i <= FLOOD + 2; i++) {
            others.add(Kind.TINY.id(i));
            command(Kind.TINY.id(i), i % 2 == 0 ? Priority.NORMAL : Priority.LOW);
        }
        startWorker();
        world.runUntil(() -> others.stream().allMatch(this::isOver), BOUND);
        long urgent = jobs.stream().filter(this::isOver).count();
        world.runUntil(() -> jobs.stream().allMatch(this::isOver), BOUND);
        wrong.addAll(judge.wrong());
        if (urgent > FLOOD - ClaimPriorities.CYCLE) {
            wrong.add("all others end after %d urgent ones".formatted(urgent));
        }
        return wrong;
    }

    /// Submits long jobs, but one may not be preemptible.
    private void occupy(int count) {
        for (int i = 1; i <= count; i++) {
            boolean firm = course == Course.FULL && i > 1 && chance.nextInt(4) == 0;
            String job = (firm ? Kind.FIRM : Kind.MINUTES).id(i);
            jobs.add(job);
            command(job, chance.nextBoolean() ? Priority.NORMAL : Priority.LOW);
        }
    }

    private void command(String job, Priority priority) {
        people.submit(job, priority);
    }

    @Override
    boolean isOver(String job) {
        return judge.isEndPublished(job);
    }

    /// Violations that count only without faults.
    private List<String> unlikeCalm() {
        List<String> wrong = new ArrayList<>();
        for (String job : jobs) {
            int trained = steps.getOrDefault(job, Set.of()).size();
            if (trained != Kind.of(job).steps) {
                wrong.add("job %s trains %d steps".formatted(job, trained));
            }
            if (store.attempts(job) != 1 + preemptions(job)) {
                wrong.add("job %s takes %d attempts, and is preempted %d times"
                        .formatted(job, store.attempts(job), preemptions(job)));
            }
        }
        int allowed = course == Course.AGAIN ? SimWorker.MAX_PREEMPTIONS : submittedNanos.size();
        submittedNanos.entrySet().stream()
                .limit(allowed)
                .filter(request -> startedNanos.getOrDefault(request.getKey(), Long.MAX_VALUE) - request.getValue()
                        > SOON.toNanos())
                .forEach(request -> wrong.add("urgent job %s begins after %s"
                        .formatted(
                                request.getKey(),
                                Duration.ofNanos(
                                        startedNanos.getOrDefault(request.getKey(), 0L) - request.getValue()))));
        if (preemptions() > (course == Course.FREE ? 0 : allowed)) {
            wrong.add("room is made %d times for %d urgent jobs".formatted(preemptions(), submittedNanos.size()));
        }
        if (course == Course.AGAIN && preemptions() < SimWorker.MAX_PREEMPTIONS) {
            wrong.add("room is made %d times only".formatted(preemptions()));
        }
        return wrong;
    }
}
