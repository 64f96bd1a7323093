import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeSet;

/// Jobs and the pods that run them, as a sequence of events. A pod has one GPU and its own node. Workers are modelled as
/// far as they affect waits: the highest priority first, then the oldest command; a stopped worker saves its work and
/// publishes the command again, behind all others.
public final class FleetModel {
    /// From a published command to its claim by a free worker.
    static final long CLAIM_MILLIS = 50;

    /// Repeated or additional work if another worker continues a job.
    static final long HANDOVER_MILLIS = 1_000;

    /// The maximum age of the cluster's knowledge of idle workers.
    static final long NEWS_MILLIS = 3_000;

    /// @param priority 0: highest priority
    /// @param workMillis on one worker
    public record Job(int number, long atMillis, int priority, long workMillis) {}

    /// A job on a worker.
    public record Run(int job, int worker, long fromMillis, long toMillis, boolean interrupted) {}

    /// The times of a cluster.
    ///
    /// @param nodeMillis until a new node is ready
    /// @param podMillis from then on, or on an existing node, until the worker claims commands
    /// @param lingerMillis how long a node without a pod remains
    /// @param deletionCost whether idle pods are deleted before busy ones
    public record Cluster(long nodeMillis, long podMillis, long lingerMillis, boolean deletionCost) {}

    private enum State {
        STARTING,
        IDLE,
        BUSY,
        GONE
    }

    private static final class Pod {
        final int number;
        final long createdMillis;
        long readyMillis;
        State state = State.STARTING;
        long changedMillis; // when it became idle or busy

        Job job;
        long leftMillis; // remaining work of the job when it started here
        long fromMillis;

        Pod(int number, long nowMillis) {
            this.number = number;
            this.createdMillis = nowMillis;
        }
    }

    private record Event(long atMillis, long number, Runnable what) {}

    private final Cluster cluster;
    private final SplittableRandom chance;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atMillis).thenComparingLong(Event::number));
    private final List<Deque<long[]>> queues = new ArrayList<>(); // job, and its remaining work
    private final List<Job> jobs;
    private final TreeSet<Integer> idle = new TreeSet<>();
    private final List<Pod> pods = new ArrayList<>();
    private final List<Pod> alive = new ArrayList<>();
    private final Deque<Long> spare = new ArrayDeque<>(); // when nodes lost their pod, the earliest first
    private final List<Run> runs = new ArrayList<>();
    private long nodeMillis; // paid node time
    private long nowMillis;
    private long made;
    private int queued;
    private int running;
    private int left;

    public FleetModel(Cluster cluster, List<Job> jobs, long seed) {
        this.cluster = cluster;
        this.jobs = jobs;
        this.chance = new SplittableRandom(seed);
        this.left = jobs.size();
        for (int i = 0; i < 3; i++) {
            queues.add(new ArrayDeque<>());
        }
        jobs.forEach(job -> at(job.atMillis(), () -> publish(job, job.workMillis())));
    }

    /// Runs all jobs with an autoscaler.
    public FleetModel run(Policy policy) {
        Policy.Memory memory = policy.new Memory();
        at(0, () -> look(policy, memory));
        return run();
    }

    /// Runs until all jobs are done.
    public FleetModel run() {
        while (left > 0) {
            Event next = events.remove();
            nowMillis = next.atMillis();
            next.what().run();
        }
        alive.forEach(pod -> nodeMillis += nowMillis - pod.createdMillis);
        spare.forEach(since -> nodeMillis += Math.min(nowMillis - since, cluster.lingerMillis()));
        return this;
    }

    private void look(Policy policy, Policy.Memory memory) {
        scale(memory.wants(nowMillis, alive.size(), queued, running));
        at(nowMillis + Policy.PERIOD_MILLIS, () -> look(policy, memory));
    }

    /// Schedules an action.
    void at(long atMillis, Runnable what) {
        events.add(new Event(atMillis, made++, what));
    }

    private void publish(Job job, long leftMillis) {
        queues.get(job.priority()).addLast(new long[] {job.number(), leftMillis});
        queued++;
        Integer first = idle.pollFirst();
        if (first != null) {
            take(pods.get(first));
        }
    }

    /// A new worker, that takes commands at a time.
    void start(long readyMillis) {
        Pod pod = new Pod(pods.size(), nowMillis);
        pods.add(pod);
        alive.add(pod);
        pod.readyMillis = readyMillis;
        at(readyMillis, () -> {
            if (pod.state == State.STARTING) {
                free(pod);
            }
        });
    }

    private void free(Pod pod) {
        pod.state = State.IDLE;
        pod.changedMillis = nowMillis;
        if (queued > 0) {
            take(pod);
        } else {
            idle.add(pod.number);
        }
    }

    private void take(Pod pod) {
        long[] next = queues.stream()
                .filter(queue -> !queue.isEmpty())
                .findFirst()
                .orElseThrow()
                .removeFirst();
        queued--;
        running++;
        Job job = jobs.get((int) next[0]);
        pod.state = State.BUSY;
        pod.changedMillis = nowMillis;
        pod.job = job;
        pod.leftMillis = next[1];
        pod.fromMillis = nowMillis + CLAIM_MILLIS;
        at(pod.fromMillis + pod.leftMillis, () -> {
            if (pod.state == State.BUSY && job.equals(pod.job)) {
                end(pod, job, false);
                left--;
                free(pod);
            }
        });
    }

    private void end(Pod pod, Job job, boolean interrupted) {
        running--;
        runs.add(new Run(job.number(), pod.number, pod.fromMillis, nowMillis, interrupted));
        pod.job = null;
    }

    private void scale(int wanted) {
        while (alive.size() < wanted) {
            while (!spare.isEmpty() && spare.getFirst() + cluster.lingerMillis() <= nowMillis) {
                nodeMillis += cluster.lingerMillis();
                spare.removeFirst();
            }
            Long since = spare.pollLast();
            nodeMillis += since == null ? 0 : nowMillis - since;
            start(nowMillis + cluster.podMillis() + (since == null ? cluster.nodeMillis() : 0));
        }
        if (alive.size() > wanted) {
            List<Pod> order = new ArrayList<>(alive);
            order.sort(deletionOrder());
            order.subList(0, alive.size() - wanted).forEach(pod -> stop(pod.number));
        }
    }

    /// As a ReplicaSet's controller has it: pods that are not ready first, then by their cost, then those that became
    /// ready later by powers of two; among equals by lot.
    private Comparator<Pod> deletionOrder() {
        long[] lots = new long[pods.size()];
        alive.forEach(pod -> lots[pod.number] = chance.nextLong());
        return Comparator.<Pod>comparingInt(pod -> pod.state == State.STARTING ? 0 : 1)
                .thenComparingInt(pod -> cluster.deletionCost() && isKnownBusy(pod) ? 1 : 0)
                .thenComparingInt(pod -> pod.state == State.STARTING ? 0 : ageClass(pod))
                .thenComparingLong(pod -> lots[pod.number]);
    }

    private boolean isKnownBusy(Pod pod) {
        boolean jobRecord = nowMillis - pod.changedMillis < NEWS_MILLIS;
        return (pod.state == State.BUSY) != jobRecord;
    }

    private int ageClass(Pod pod) {
        return Long.SIZE - Long.numberOfLeadingZeros((nowMillis - pod.readyMillis) / 1000);
    }

    /// The worker that has a job; empty where none has.
    OptionalInt holder(int job) {
        return alive.stream()
                .filter(pod -> pod.job != null && pod.job.number() == job)
                .mapToInt(pod -> pod.number)
                .findFirst();
    }

    /// SIGTERM for a worker.
    void stop(int number) {
        Pod pod = pods.get(number);
        Job job = pod.job;
        idle.remove(number);
        pod.state = State.GONE;
        alive.remove(pod);
        nodeMillis += nowMillis - pod.createdMillis;
        spare.addLast(nowMillis);
        if (job != null) {
            long done = Math.max(0, nowMillis - pod.fromMillis);
            end(pod, job, true);
            publish(job, pod.leftMillis - done + HANDOVER_MILLIS);
        }
    }

    /// What ran where, in the order of the ends.
    public List<Run> runs() {
        return runs;
    }

    /// The billed GPU hours: nodes from their request to their removal.
    public double gpuHours() {
        return nodeMillis / 3.6e6;
    }

    /// The time that each job waited between its submission and its end, in seconds, ascending.
    public double[] waits() {
        long[] waited = new long[jobs.size()];
        jobs.forEach(job -> waited[job.number()] -= job.atMillis());
        for (Run run : runs) {
            waited[run.job()] -= run.toMillis() - run.fromMillis();
            if (!run.interrupted()) {
                waited[run.job()] += run.toMillis();
            }
        }
        return Arrays.stream(waited)
                .mapToDouble(millis -> millis / 1e3)
                .sorted()
                .toArray();
    }

    /// The number of interrupted runs.
    public long interruptions() {
        return runs.stream().filter(Run::interrupted).count();
    }
}
