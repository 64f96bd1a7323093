package io.trainyard.worker;

import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.kubernetes.Demand;
import io.trainyard.kubernetes.Pods;
import io.trainyard.worker.SimTraining.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/// A simulated fleet in a simulated cluster, in which the autoscaler creates and deletes the workers' pods.
/// Claims, ownership, heartbeats and shutdown are the workers' own code. The choice of the pod to delete
/// follows Kubernetes' rule.
final class SimCluster {
    /// The longest time from a new pod to a worker that claims jobs. Nodes are always available.
    private static final Duration POD_START = Duration.ofSeconds(20);

    private static final Duration READY = Duration.ofSeconds(4);

    /// @param millis when a scale-in stopped the pod, since 1970
    record Stop(String pod, long millis) {}

    /// A job that lost its worker to a scale-in.
    ///
    /// @param after time since its claim
    record Interruption(String job, Duration after) {}

    /// Faults injected on purpose.
    enum Mistake {
        NONE,
        /// The dashboard marks no pods.
        NO_MARKS,
        /// Demand counts the waiting jobs only, without the running ones.
        WAITING_JOBS_ALONE
    }

    private final SimWorld world;
    private final SimKafka kafka;
    private final SimPeople people;
    private final SimStore store;
    private final SimWorker.Fleet fleet;
    private final SplittableRandom chance;
    private final SimDashboard dashboard;
    private final SimAutoscaler autoscaler;
    private final Map<String, SimPod> pods = new LinkedHashMap<>();
    private final List<Stop> stops = new ArrayList<>();
    private int made;
    private boolean active;

    SimCluster(long seed, Mistake mistake) {
        world = new SimWorld(seed);
        world.allow(Long.MAX_VALUE);
        chance = world.chance("cluster");
        var limits = new SimShareGroup.Limits(Duration.ofSeconds(15), 10, 2000);
        kafka = new SimKafka(world, "", limits);
        people = new SimPeople(kafka);
        store = new SimStore(world, "disk");
        fleet = new SimWorker.Fleet(
                kafka, new SimPerils(world, () -> {}), SimSeams.NONE, limits, Duration.ofSeconds(2));
        Predicate<Status> wanted =
                mistake == Mistake.WAITING_JOBS_ALONE ? status -> status == Status.QUEUED : Demand::isWanted;
        dashboard = new SimDashboard(kafka, mistake == Mistake.NO_MARKS ? (_, _) -> true : apiServer(), wanted);
        autoscaler = new SimAutoscaler(world, () -> OptionalLong.of(dashboard.demand()), this::reconcile);
        dashboard.onChange(this::pushActivity);
        autoscaler.start();
    }

    private Pods apiServer() {
        return (name, mark) -> {
            SimPod pod = pods.get(name);
            if (pod != null) {
                pod.annotate(mark);
            }
            return pod != null;
        };
    }

    /// Pushes as the scaler's stream does.
    private void pushActivity() {
        boolean now = dashboard.demand() > 0;
        if (now != active) {
            active = now;
            autoscaler.push(now);
        }
    }

    /// Acts as a ReplicaSet does.
    private void reconcile() {
        List<SimPod> there = new ArrayList<>(
                pods.values().stream().filter(pod -> !pod.isTerminating()).toList());
        for (int i = there.size(); i < autoscaler.replicas(); i++) {
            makePod();
        }
        there.sort(SimPod.VICTIMS_FIRST);
        for (int i = 0; i < there.size() - autoscaler.replicas(); i++) {
            SimPod victim = there.get(i);
            stops.add(new Stop(victim.name(), SimDashboard.millis(world.nanos())));
            victim.terminate();
        }
    }

    private void makePod() {
        SimPod pod = new SimPod("worker-" + ++made, world.nanos());
        pods.put(pod.name(), pod);
        SimTimer _ = world.after(Duration.ofNanos(chance.nextLong(POD_START.toNanos())), () -> {
            if (pod.isTerminating()) {
                pods.remove(pod.name());
            } else {
                start(pod);
            }
        });
    }

    private void start(SimPod pod) {
        SimProcess process = world.process(pod.name());
        process.atCrash(() -> pods.remove(pod.name()));
        pod.run(new SimWorker(process, fleet, store, false));
        SimTimer _ = world.after(READY, () -> pod.ready(world.nanos()));
    }

    void submit(Kind kind, int first, int count) {
        for (int i = first; i < first + count; i++) {
            String job = kind.id(i);
            people.submit(job, SimTraining.command(job));
        }
    }

    void cancel(String job) {
        people.desiredState(job, DesiredState.CANCEL);
    }

    /// Runs the world until a condition holds.
    ///
    /// @throws AssertionError if it does not hold within the bound
    void await(String what, Duration bound, BooleanSupplier done) {
        if (!world.runUntil(done, bound)) {
            throw new AssertionError("%s is not so after %s: %s".formatted(what, bound, this));
        }
    }

    /// A random duration.
    Duration within(Duration most) {
        return Duration.ofNanos(chance.nextLong(most.toNanos()));
    }

    void run(Duration time) {
        world.run(time);
    }

    Duration now() {
        return Duration.ofNanos(world.nanos());
    }

    int replicas() {
        return autoscaler.replicas();
    }

    long jobs(Status status) {
        return dashboard.jobs().values().stream()
                .filter(job -> job.status() == status)
                .count();
    }

    /// The largest number of attempts that any job took.
    int mostAttempts() {
        return dashboard.jobs().values().stream()
                .max(Comparator.comparingInt(JobState::attempt))
                .map(JobState::attempt)
                .orElse(0);
    }

    /// Derived from the published attempts, after all of them are published.
    List<Interruption> interruptions() {
        List<Interruption> found = new ArrayList<>();
        for (Stop stop : stops) {
            dashboard.attempts().stream()
                    .filter(attempt -> attempt.worker().equals(stop.pod())
                            && attempt.claimMillis() <= stop.millis()
                            && attempt.endMillis() > stop.millis())
                    .map(attempt ->
                            new Interruption(attempt.job(), Duration.ofMillis(stop.millis() - attempt.claimMillis())))
                    .forEach(found::add);
        }
        return found;
    }

    List<Stop> stops() {
        return stops;
    }

    @Override
    public String toString() {
        return "%s: %d workers wanted, pods %s, stopped %s, jobs %s"
                .formatted(
                        now(),
                        replicas(),
                        pods.keySet(),
                        stops,
                        dashboard.jobs().values().stream()
                                .map(job -> job.job() + " " + job.status())
                                .toList());
    }
}
