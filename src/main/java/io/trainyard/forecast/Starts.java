package io.trainyard.forecast;

import io.trainyard.event.Control.Urgency;
import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.JobDurations.Guess;
import io.trainyard.forecast.WaitingLine.Place;
import io.trainyard.share.Turns;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// When each job of a line begins: workers take the jobs in their order, each as long as jobs like it took. The range
/// comes from how far those were apart, and from how many more urgent jobs came lately.
final class Starts {
    /// Of a normal distribution, 90 % are within so many deviations.
    private static final double NINETY = 1.645;

    /// From when a worker is free until it has the next job.
    private static final double CLAIM_SECONDS = 0.25;

    /// From when an urgent job waits until the job that makes room for it has halted.
    private static final double ROOM_SECONDS = 1.5;

    private static final long WINDOW_MILLIS = 24L * 60 * 60 * 1000;
    /// So many say how often jobs come.
    private static final int FEW = 3;

    /// What came within so long of the first was sent with it: it says nothing of a rate.
    private static final long TOGETHER_MILLIS = 2_000;

    private static final double MOST_OVERTAKING = 0.9; // of the fleet

    private record Queue(Urgency urgency, int project, Lane lane) {}

    /// A place for one job on a worker.
    private static final class Slot {
        final WorkerFacts worker;
        final List<Lane> lanes;
        final String job; // that it has; empty: none
        double seconds; // until it is free
        double before; // the variance of all jobs until then but the last
        double last; // of that
        int project = -1; // of the job that it has; less than 0: none that counts
        int devices;
        double common; // how far they may be off together, in seconds

        Slot(WorkerFacts worker, List<Lane> lanes, String job) {
            this.worker = worker;
            this.lanes = lanes;
            this.job = job;
        }

        void run(double from, Guess guess) {
            seconds = from + guess.seconds() + CLAIM_SECONDS;
            before += last;
            last = square(guess.seconds() * Math.min(guess.each(), 1.5));
            common += guess.seconds() * Math.min(guess.common(), 2);
        }
    }

    private final Fleet fleet;
    private final Projects projects;
    private final JobDurations durations;
    private final List<Slot> slots = new ArrayList<>();
    private final Turns turns;
    private final Map<Queue, Deque<Place>> waiting = new HashMap<>();
    private final Map<String, StartEstimate> starts = new HashMap<>();
    private final Map<Queue, double[]> overtaking = new HashMap<>(); // as is usual, and at most
    private final long first; // when the oldest job was heard of

    Starts(Fleet fleet, Projects projects, WhyWaiting why) {
        this.fleet = fleet;
        this.projects = projects;
        this.turns = projects.turns();
        this.durations = new JobDurations(fleet.jobs());
        Map<String, JobFacts> running = new HashMap<>();
        fleet.jobs().stream().filter(job -> job.status() == Status.RUNNING).forEach(job -> running.put(job.job(), job));
        for (WorkerFacts worker : fleet.workers()) {
            if (worker.trouble() == null) {
                List<Lane> lanes = List.of(Lane.values()).stream()
                        .filter(lane -> WorkerFacts.looksAt(lane, why.kinds(worker)))
                        .toList();
                for (int i = 0; i < Math.max(worker.slots(), worker.jobs().size()); i++) {
                    String job = i < worker.jobs().size() ? worker.jobs().get(i) : "";
                    slots.add(slot(worker, lanes, job, running.get(job)));
                }
            }
        }
        first = fleet.jobs().stream()
                .mapToLong(JobFacts::heardFirstMillis)
                .min()
                .orElse(0);
    }

    private Slot slot(WorkerFacts worker, List<Lane> lanes, String job, @Nullable JobFacts its) {
        Slot slot = new Slot(worker, lanes, job);
        if (!job.isEmpty()) {
            slot.run(
                    0, its == null ? durations.of(null, 0, "") : durations.rest(its, worker.kind(), fleet.nowMillis()));
            slot.project = its == null ? -1 : projects.of(its);
            slot.devices = its == null ? 1 : Projects.devices(its);
        }
        return slot;
    }

    /// How much of the fleet the jobs took that came lately and that would overtake one, each burst as one job: in all,
    /// and at most since any of them.
    private double[] overtaking(Predicate<JobFacts> would) {
        List<JobFacts> came = fleet.jobs().stream()
                .filter(job -> fleet.nowMillis() - job.heardFirstMillis() < WINDOW_MILLIS)
                .filter(would)
                .sorted(Comparator.comparingLong(JobFacts::heardFirstMillis).reversed())
                .toList();
        double taken = 0; // by those after one, in seconds of the whole fleet
        double most = 0;
        int bursts = 0;
        long after = fleet.nowMillis();
        for (JobFacts job : came) {
            if (after - job.heardFirstMillis() > TOGETHER_MILLIS || bursts == 0) {
                most = bursts < FEW ? most : Math.max(most, taken / seconds(job.heardFirstMillis()));
                taken += durations
                                .of(job.work(), 0, slots.getFirst().worker.kind())
                                .seconds()
                        / slots.size();
                bursts++;
            }
            after = job.heardFirstMillis();
        }
        return new double[] {taken / seconds(first), Math.max(most, taken / seconds(first))};
    }

    private double seconds(long fromMillis) {
        return Math.clamp((fleet.nowMillis() - fromMillis) / 1e3, 60, WINDOW_MILLIS / 1e3);
    }

    private double[] overtaking(Place place) {
        double[] urgent = overtaking(job -> urgency(job).compareTo(place.urgency()) < 0);
        double[] turns = overtaking(job -> urgency(job) == place.urgency() && projects.of(job) != place.project());
        return new double[] {Math.min(MOST_OVERTAKING, urgent[0]), Math.min(MOST_OVERTAKING, 1.5 * urgent[1] + turns[1])
        };
    }

    private Urgency urgency(JobFacts job) {
        return WaitingLine.urgency(job.command(), fleet.prefix());
    }

    /// @param rooms by urgent job the one that makes room for it
    Map<String, StartEstimate> of(List<Place> line, Map<String, String> rooms) {
        line.forEach(place -> waiting.computeIfAbsent(
                        new Queue(place.urgency(), place.project(), place.lane()), _ -> new ArrayDeque<>())
                .add(place));
        slots.forEach(slot -> rooms.forEach((urgent, victim) -> makeRoom(slot, urgent, victim, line)));
        PriorityQueue<Slot> next = new PriorityQueue<>(Comparator.comparingDouble(slot -> slot.seconds));
        next.addAll(slots);
        List<Slot> idle = new ArrayList<>(); // until a project that has its quota may run one more
        while (starts.size() < line.size() && !next.isEmpty()) {
            Slot slot = next.remove();
            turns.pass(slot.seconds);
            if (slot.project >= 0) {
                turns.end(slot.project, slot.devices);
                slot.project = -1;
                idle.forEach(other -> other.seconds = slot.seconds);
                next.addAll(idle);
                idle.clear();
            }
            Place place = take(slot);
            if (place == null) {
                idle.add(slot);
            } else {
                begin(place, slot);
                next.add(slot);
            }
        }
        return starts;
    }

    private void makeRoom(Slot slot, String urgent, String victim, List<Place> line) {
        if (slot.job.equals(victim)) {
            line.stream().filter(place -> place.job().job().equals(urgent)).forEach(place -> {
                Objects.requireNonNull(waiting.get(new Queue(place.urgency(), place.project(), place.lane())))
                        .remove(place);
                starts.put(urgent, range(ROOM_SECONDS, 1, 0));
                slot.run(slot.seconds, guess(place, slot));
            });
        }
    }

    /// The next that a worker takes; null: nothing of what waits.
    private @Nullable Place take(Slot slot) {
        for (Urgency urgency : Urgency.values()) {
            boolean[] have = new boolean[projects.count()];
            waiting.forEach((queue, places) -> have[queue.project()] |=
                    queue.urgency() == urgency && slot.lanes.contains(queue.lane()) && !places.isEmpty());
            int project = turns.next(have);
            if (project >= 0) {
                return slot.lanes.stream()
                        .map(lane -> waiting.get(new Queue(urgency, project, lane)))
                        .filter(places -> places != null && !places.isEmpty())
                        .min(Comparator.comparingInt(places -> places.getFirst().place()))
                        .map(Deque::removeFirst)
                        .orElse(null);
            }
        }
        return null;
    }

    private void begin(Place place, Slot slot) {
        double[] taken = overtaking.computeIfAbsent(
                new Queue(place.urgency(), place.project(), Lane.COMMON), _ -> overtaking(place));
        int pool = Math.min(slots.size(), projects.most(place.project()));
        StartEstimate alone =
                range(slot.seconds + CLAIM_SECONDS, Math.sqrt(slot.before / pool + slot.last), slot.common);
        starts.put(
                place.job().job(),
                new StartEstimate(alone.lowMillis(), (long) (alone.medianMillis() / (1 - taken[0])), (long)
                        (alone.highMillis() / (1 - taken[1]))));
        slot.run(slot.seconds, guess(place, slot));
        slot.project = place.project();
        slot.devices = Projects.devices(place.job());
        turns.begin(slot.project, slot.devices);
    }

    private Guess guess(Place place, Slot slot) {
        String kind =
                place.lane() == Lane.COMMON ? slot.worker.kind() : place.lane().kind();
        return durations.of(place.job().work(), place.job().part(), kind);
    }

    private static StartEstimate range(double seconds, double each, double common) {
        double deviation = Math.hypot(each, common) / seconds;
        double factor = Math.exp(NINETY * Math.sqrt(Math.log(1 + deviation * deviation)));
        return new StartEstimate(millis(seconds / factor - 0.5), millis(seconds), millis(seconds * factor + 1));
    }

    private static long millis(double seconds) {
        return (long) Math.clamp(1e3 * seconds, 0, StartEstimate.FAR_MILLIS);
    }

    private static double square(double value) {
        return value * value;
    }
}
