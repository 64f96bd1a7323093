package io.trainyard.forecast;

import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.WorkerStatus;
import io.trainyard.forecast.JobDurations.Guess;
import io.trainyard.forecast.StartForecast.Start;
import io.trainyard.forecast.WaitingQueue.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Estimates when each waiting job starts: workers take the jobs in order, each for its estimated duration. The
/// interval comes from the deviations of the durations and from recent arrivals of jobs that would be claimed
/// first.
final class StartEstimator {
    private static final double NINETY = 1.645; // standard deviations of the 90 % interval of a normal distribution
    private static final double CLAIM_SECONDS = 0.25; // from the end of a job until the worker has the next one
    private static final double PREEMPTION_SECONDS = 1.5; // until a preempted job has stopped
    private static final double WINDOW_MILLIS = 24 * 60 * 60 * 1000;
    private static final double MOST_OVERTAKING = 0.9; // of the fleet

    private static final class Slot {
        final WorkerStatus worker;
        final String job; // its current job; empty without one
        double seconds; // until it is free
        double variance; // of `seconds`
        double common; // the deviation that the jobs share, in seconds

        Slot(WorkerStatus worker, String job) {
            this.worker = worker;
            this.job = job;
        }

        void run(double from, Guess guess) {
            seconds = from + guess.seconds() + CLAIM_SECONDS;
            variance += Math.pow(guess.seconds() * Math.min(guess.each(), 1.5), 2);
            common += guess.seconds() * Math.min(guess.common(), 2);
        }
    }

    private record PriorityAndProject(RequestedPriority requestedPriority, String project) {}

    private final Fleet fleet;
    private final WhyWaiting why;
    private final JobDurations durations;
    private final List<Slot> slots = new ArrayList<>();
    private final Map<String, PriorityQueue<Double>> ends = new HashMap<>(); // of projects' running jobs, in seconds
    private final Map<String, List<Slot>> lanes = new HashMap<>();
    private final Map<PriorityAndProject, Double> came =
            new HashMap<>(); // recent arrivals, as a part of the fleet's capacity

    StartEstimator(Fleet fleet, WhyWaiting why) {
        this.fleet = fleet;
        this.why = why;
        this.durations = new JobDurations(fleet.jobs());
        Map<String, JobFacts> running = fleet.jobs().stream()
                .filter(job -> job.status() == Status.RUNNING)
                .collect(Collectors.toMap(JobFacts::job, Function.identity()));
        for (WorkerStatus worker : fleet.workers()) {
            if (worker.problem() == null) {
                why.held(worker).forEach(job -> occupy(new Slot(worker, job), running.get(job)));
                IntStream.range(0, why.free(worker)).forEach(_ -> slots.add(new Slot(worker, "")));
            }
        }
        double sinceMillis = 6e4;
        for (JobFacts job : fleet.jobs()) {
            long millis = fleet.nowMillis() - job.submittedMillis();
            sinceMillis = Math.clamp(millis, sinceMillis, WINDOW_MILLIS);
            if (millis < WINDOW_MILLIS) {
                String kind = WhyWaiting.kind(slots.getFirst().worker);
                PriorityAndProject its = new PriorityAndProject(job.requestedPriority(), fleet.project(job));
                came.merge(its, durations.of(job.work(), 0, kind).seconds() / slots.size(), Double::sum);
            }
        }
        double seconds = sinceMillis / 1e3;
        came.replaceAll((_, taken) -> taken / seconds);
    }

    private void occupy(Slot slot, @Nullable JobFacts job) {
        if (job == null) {
            slot.run(0, JobDurations.UNKNOWN);
        } else {
            slot.run(0, durations.rest(job, WhyWaiting.kind(slot.worker), fleet.nowMillis()));
            ends(fleet.project(job)).add(slot.seconds);
        }
        slots.add(slot);
    }

    private PriorityQueue<Double> ends(String project) {
        return ends.computeIfAbsent(project, _ -> new PriorityQueue<>());
    }

    /// @param victims the job that each high-priority job preempts
    Map<String, Start> of(List<Place> line, Map<String, String> victims) {
        Map<String, Start> starts = new HashMap<>();
        for (Place place : line) {
            String victim = victims.get(place.job().job());
            if (victim != null) {
                starts.put(place.job().job(), range(PREEMPTION_SECONDS, 1, 0, 0, 0));
                slots.stream()
                        .filter(slot -> slot.job.equals(victim))
                        .forEach(slot -> slot.run(slot.seconds, guess(place, slot)));
            }
        }
        for (Place place : line) {
            starts.computeIfAbsent(place.job().job(), _ -> begin(place));
        }
        return starts;
    }

    /// When the project's quota permits one more running job.
    private double freed(String project) {
        PriorityQueue<Double> its = ends(project);
        int most = fleet.rules().mostRunning(project);
        while (its.size() > most) {
            its.remove();
        }
        return its.size() < most ? 0 : its.element();
    }

    /// The slot for the next job of a device kind from a time on: a free slot, or else the first to become
    /// free.
    private Slot slot(String lane, double from) {
        return lanes
                .computeIfAbsent(
                        lane,
                        _ -> slots.stream()
                                .filter(slot -> why.looksAt(lane, slot.worker))
                                .toList())
                .stream()
                .min(Comparator.comparingDouble(slot -> slot.seconds > from ? slot.seconds : -slot.seconds))
                .orElseThrow();
    }

    private Start begin(Place place) {
        double freed = freed(place.project());
        Slot slot = slot(place.job().lane(), freed);
        double seconds = Math.max(freed, slot.seconds);
        RequestedPriority requestedPriority = place.job().requestedPriority();
        double highPriority = lately(its -> its.requestedPriority().compareTo(requestedPriority) < 0);
        double others = lately(its ->
                its.requestedPriority() == requestedPriority && !its.project().equals(place.project()));
        Start start = range(
                seconds + CLAIM_SECONDS,
                Math.sqrt(slot.variance / Math.sqrt(slots.size())),
                slot.common,
                highPriority,
                2 * highPriority + others);
        slot.run(seconds, guess(place, slot));
        ends(place.project()).add(slot.seconds);
        return start;
    }

    /// The part of the fleet that recent arrivals of this kind used.
    private double lately(Predicate<PriorityAndProject> which) {
        return came.entrySet().stream()
                .filter(its -> which.test(its.getKey()))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    private Guess guess(Place place, Slot slot) {
        String kind = place.job().lane().isEmpty()
                ? WhyWaiting.kind(slot.worker)
                : place.job().lane();
        return durations.of(place.job().work(), place.job().part(place.job().step()), kind);
    }

    /// @param taken the expected part of the fleet that jobs with precedence use
    /// @param most the upper limit of that part
    private Start range(double seconds, double each, double common, double taken, double most) {
        double deviation = Math.hypot(each, common) / seconds;
        double factor = Math.exp(NINETY * Math.sqrt(Math.log(1 + deviation * deviation)));
        return new Start(
                millis(seconds / factor - 0.5),
                millis(seconds / (1 - Math.min(MOST_OVERTAKING, taken))),
                millis((seconds * factor + 1) / (1 - Math.min(MOST_OVERTAKING, most))),
                fleet.nowMillis());
    }

    private long millis(double seconds) {
        return fleet.nowMillis() + (long) Math.clamp(1e3 * seconds, 0, StartForecast.FAR_MILLIS);
    }
}
