package io.trainyard.forecast;

import io.trainyard.custody.ClaimOrder;
import io.trainyard.custody.PreemptionRule.Running;
import io.trainyard.event.Control.Urgency;
import io.trainyard.forecast.PaceModel.Guess;
import io.trainyard.forecast.WaitingLine.Place;
import io.trainyard.share.Turns;
import io.trainyard.topics.Priority;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// What may become of a line of jobs: in each draw all that is not known is drawn, and then workers take jobs as they
/// do. Bounded by draws times jobs.
final class Schedule {
    static final int LANES = Lane.values().length;
    static final int URGENCIES = Urgency.values().length;

    /// In which order of urgency a worker looks for its next job, by how many it has taken.
    static final int[][] ORDERS = orders();

    /// So many draws times jobs at most, so that a long line takes no longer than a fraction of a second.
    private static final int MAX_PLACED = 1_500_000;

    private static final int MIN_DRAWS = 120;
    private static final int MAX_DRAWS = 400;

    /// So many projects take as long as all else.
    private static final int PROJECTS = 16;

    final List<Place> line;
    final List<Slot> slots;
    final List<Arrivals> arrivals;
    final EarlyEnds ends;
    final Turns turns; // as they are now
    final int projects;
    final int[][] queues; // places of the line, in their order
    final int[] masks; // by slot: the lanes that it looks at, a bit each
    final long[] seeds; // by place
    final Task[] tasks; // the same
    final Task[] comers; // what comes to each queue
    final int[] victims; // slots whose jobs make room at once

    private final boolean[] stops; // by place: whether it may stop early
    private final double[] done; // the part of its steps that is
    private final int[] kinds; // by slot
    private final List<String> kindNames = new ArrayList<>();
    private final double[][] logSeconds; // by kind and place
    private final double[][] common; // the same
    private final double[][] each;
    private final int[][] classes;
    private final Map<String, Integer> classNumbers = new HashMap<>();

    Schedule(Scene scene, WhyWaiting why) {
        Fleet fleet = scene.fleet();
        PaceModel pace = new PaceModel(fleet.jobs());
        line = scene.line();
        slots = new Slots(fleet, pace, scene.projects()).of(why);
        projects = scene.projects().count();
        turns = scene.projects().turns();
        arrivals = arrivals(scene, pace);
        ends = new EarlyEnds(fleet.jobs());
        kinds = slots.stream().mapToInt(slot -> number(slot.kind())).toArray();
        masks = slots.stream()
                .mapToInt(slot -> slot.lanes().stream()
                        .mapToInt(lane -> 1 << lane.ordinal())
                        .sum())
                .toArray();
        queues = queues();
        seeds = line.stream().mapToLong(place -> place.job().job().hashCode()).toArray();
        tasks = line.stream()
                .map(place -> Task.of(place.job(), fleet.prefix(), scene.projects()))
                .toArray(Task[]::new);
        comers = comers();
        victims = victims(scene.rooms());
        done = line.stream().mapToDouble(place -> place.job().part()).toArray();
        stops = new boolean[line.size()];
        for (int i = 0; i < stops.length; i++) {
            JobFacts.Work work = line.get(i).job().work();
            stops[i] = work != null && work.stopsEarly();
        }
        logSeconds = new double[kindNames.size()][line.size()];
        common = new double[kindNames.size()][line.size()];
        each = new double[kindNames.size()][line.size()];
        classes = new int[kindNames.size()][line.size()];
        guess(pace);
    }

    private static int[][] orders() {
        return IntStream.range(0, ClaimOrder.CYCLE)
                .mapToObj(taken -> ClaimOrder.after(taken).stream()
                        .mapToInt(priority -> priority.urgency().ordinal())
                        .toArray())
                .toArray(int[][]::new);
    }

    private int[][] queues() {
        List<List<Integer>> found = IntStream.range(0, URGENCIES * LANES * projects)
                .<List<Integer>>mapToObj(_ -> new ArrayList<>())
                .toList();
        for (int i = 0; i < line.size(); i++) {
            Place place = line.get(i);
            found.get(queue(place.urgency(), place.lane(), place.project())).add(i);
        }
        return found.stream()
                .map(places -> places.stream().mapToInt(place -> place).toArray())
                .toArray(int[][]::new);
    }

    /// The number of a queue.
    int queue(Urgency urgency, Lane lane, int project) {
        return (urgency.ordinal() * LANES + lane.ordinal()) * projects + project;
    }

    private int[] victims(Map<String, String> rooms) {
        return IntStream.range(0, slots.size())
                .filter(slot -> {
                    Task task = slots.get(slot).task();
                    return task != null && rooms.containsValue(task.running().job());
                })
                .toArray();
    }

    /// What more urgent jobs come is as it was: only what may overtake those that wait is of interest.
    private List<Arrivals> arrivals(Scene scene, PaceModel pace) {
        Map<Integer, List<JobFacts>> asked = new TreeMap<>(); // by queue
        for (JobFacts job : scene.fleet().jobs()) {
            if (job.command() != null) {
                Arrivals.Which which = which(job, scene);
                int queue = queue(which.urgency(), which.lane(), which.project());
                asked.computeIfAbsent(queue, _ -> new ArrayList<>()).add(job);
            }
        }
        return asked.values().stream()
                .map(jobs -> Arrivals.of(
                        which(jobs.getFirst(), scene), jobs, pace, scene.fleet().nowMillis()))
                .toList();
    }

    private Arrivals.Which which(JobFacts job, Scene scene) {
        Lane lane = WaitingLine.lane(job);
        return new Arrivals.Which(
                WaitingLine.urgency(job.command(), scene.fleet().prefix()),
                lane,
                scene.projects().of(job),
                lane == Lane.COMMON ? slots.getFirst().kind() : lane.kind());
    }

    /// What jobs that come are, once a slot has one, by queue.
    private Task[] comers() {
        Task[] comers = new Task[queues.length];
        for (Urgency urgency : Urgency.values()) {
            Running running = new Running("", 1, "", Priority.of(urgency), true, 0);
            for (Lane lane : Lane.values()) {
                for (int project = 0; project < projects; project++) {
                    comers[queue(urgency, lane, project)] = new Task(running, lane, project, 1);
                }
            }
        }
        return comers;
    }

    private void guess(PaceModel pace) {
        for (int kind = 0; kind < kindNames.size(); kind++) {
            for (int i = 0; i < line.size(); i++) {
                Place place = line.get(i);
                String runsOn = place.lane() == Lane.COMMON
                        ? kindNames.get(kind)
                        : place.lane().kind();
                Guess guess = pace.of(place.job().work(), place.job().part(), runsOn);
                logSeconds[kind][i] = guess.logSeconds();
                common[kind][i] = guess.common();
                each[kind][i] = guess.each();
                classes[kind][i] = classNumbers.computeIfAbsent(guess.cls(), _ -> classNumbers.size());
            }
        }
    }

    private int number(String kind) {
        if (!kindNames.contains(kind)) {
            kindNames.add(kind);
        }
        return kindNames.indexOf(kind);
    }

    /// When each job of the line begins, in seconds from now, by place and draw; infinite where no worker looks at it.
    float[][] draw() {
        long weight = (long) line.size() * (PROJECTS + projects - 1) / PROJECTS;
        int draws = (int) Math.clamp(MAX_PLACED / weight, MIN_DRAWS, MAX_DRAWS);
        float[][] starts = new float[line.size()][draws];
        for (int draw = 0; draw < draws; draw++) {
            new Draw(this, draw).run(starts);
        }
        return starts;
    }

    /// What is wrong in common of all jobs of a class, in one draw.
    double[] commons(int draw) {
        double[] commons = new double[classNumbers.size()];
        for (int i = 0; i < commons.length; i++) {
            commons[i] = NormalTable.normal(NormalTable.mix(i, 1_000_003L * draw));
        }
        return commons;
    }

    /// How long a job of the line takes, in one draw.
    ///
    /// @param commons of that draw
    /// @param effect of the slot
    double seconds(int place, int slot, int draw, double[] commons, double effect) {
        int kind = kinds[slot];
        long hash = NormalTable.mix(seeds[place], 7_919L * draw + 1);
        double log = logSeconds[kind][place]
                + common[kind][place] * commons[classes[kind][place]]
                + each[kind][place] * NormalTable.normal(hash)
                + effect;
        double part = ends.part(stops[place], done[place], NormalTable.mix(hash, 300), draw);
        return Math.exp(log) * (done[place] < 1 ? (part - done[place]) / (1 - done[place]) : 1);
    }
}
