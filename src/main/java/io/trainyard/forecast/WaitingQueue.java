package io.trainyard.forecast;

import io.trainyard.event.JobState.Status;
import io.trainyard.share.ProjectLoad;
import io.trainyard.share.ProjectOrder;
import io.trainyard.share.ProjectWaitReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The waiting jobs in the order in which workers claim them: by priority, then by the turns of the projects as
/// if no job ended in between, then by offset, and between topics by time.
final class WaitingQueue {
    /// @param place the position among the jobs of its workers, from 1; 0 while no worker may claim it
    /// @param highPriorityBefore the number of jobs before it with a higher priority
    /// @param turn the project of jobs that come before it although they were submitted later; null if there
    ///     are no such jobs
    /// @param held the quota that keeps it waiting even if workers are free; null without one
    record Place(
            JobFacts job,
            String project,
            int place,
            int highPriorityBefore,
            @Nullable String turn,
            ProjectWaitReason.@Nullable Quota held) {}

    private record Sent(JobFacts job, long millis) {}

    private final Fleet fleet;
    private final WhyWaiting workers;
    private final Map<String, Double> used = new HashMap<>(); // by project, in device-seconds
    private final Map<String, ProjectLoad> loads =
            new HashMap<>(); // by project, including jobs with a place in the order
    private final Map<String, ProjectLoad> running;
    private final List<Place> places = new ArrayList<>();
    private final Map<String, Integer> before = new HashMap<>(); // by device kind

    private WaitingQueue(Fleet fleet, WhyWaiting workers) {
        this.fleet = fleet;
        this.workers = workers;
        if (!fleet.rules().isNone()) {
            fleet.jobs().forEach(this::count);
        }
        running = Map.copyOf(loads);
    }

    static List<Place> of(Fleet fleet, WhyWaiting workers) {
        WaitingQueue line = new WaitingQueue(fleet, workers);
        fleet.jobs().stream()
                .filter(job -> job.status() == Status.QUEUED)
                .collect(Collectors.groupingBy(JobFacts::requestedPriority, TreeMap::new, Collectors.toList()))
                .forEach((_, jobs) -> line.place(inTheirOrder(jobs)));
        return line.places;
    }

    /// Clocks of clients differ, so the order on a topic is by offset only.
    private static List<JobFacts> inTheirOrder(List<JobFacts> jobs) {
        jobs.sort(Comparator.comparingLong(JobFacts::offset).thenComparingLong(JobFacts::sentMillis));
        Map<String, Long> latest = new HashMap<>(); // by device kind
        return jobs.stream()
                .map(job -> new Sent(job, latest.merge(job.lane(), job.sentMillis(), Math::max)))
                .sorted(Comparator.comparingLong(Sent::millis)
                        .thenComparing(sent -> sent.job().lane()))
                .map(Sent::job)
                .toList();
    }

    /// Adds the use of a job to its project. Earlier attempts are unknown here.
    private void count(JobFacts job) {
        boolean runs = job.status() == Status.RUNNING;
        if (runs) {
            load(fleet.project(job), job);
        }
        if (job.claimMillis() > 0) {
            long endMillis = runs ? fleet.nowMillis() : job.endMillis() > 0 ? job.endMillis() : job.lastRecordMillis();
            double seconds = windowSeconds() * Math.max(0, fading(endMillis) - fading(job.claimMillis()));
            used.merge(fleet.project(job), job.devices() * seconds, Double::sum);
        }
    }

    private void load(String project, JobFacts job) {
        loads.merge(project, new ProjectLoad(1, job.devices()), ProjectLoad::plus);
    }

    /// The weight of use at a time, which decays exponentially.
    private double fading(long millis) {
        return Math.exp(-Math.max(0, fleet.nowMillis() - millis) / 1e3 / windowSeconds());
    }

    private double windowSeconds() {
        return fleet.rules().window().toMillis() / 1e3;
    }

    private void place(List<JobFacts> jobs) {
        Map<String, Integer> highPriorityBefore = Map.copyOf(before);
        Map<String, Integer> latest = new HashMap<>(); // by device kind: the index of its last job with a place
        Map<String, Deque<Integer>> waiting = new HashMap<>(); // by project
        for (int i = 0; i < jobs.size(); i++) {
            waiting.computeIfAbsent(fleet.project(jobs.get(i)), _ -> new ArrayDeque<>())
                    .addLast(i);
        }
        while (!waiting.isEmpty()) {
            ProjectOrder projectOrder = ProjectOrder.of(fleet.rules(), windowSeconds(), used, loads);
            String project = waiting.keySet().stream().min(projectOrder.order()).orElseThrow();
            Deque<Integer> its = Objects.requireNonNull(waiting.get(project));
            int next = its.removeFirst();
            if (its.isEmpty()) {
                waiting.remove(project);
            }
            JobFacts job = jobs.get(next);
            if (projectOrder.hasCapacity(project)) {
                Set<String> lanes = workers.rivals(job.lane());
                int last = lanes.stream()
                        .mapToInt(lane -> latest.getOrDefault(lane, 0))
                        .max()
                        .orElse(0);
                String turn = last > next ? fleet.project(jobs.get(last)) : null;
                places.add(new Place(job, project, 1 + sum(before, lanes), sum(highPriorityBefore, lanes), turn, null));
                before.merge(job.lane(), 1, Integer::sum);
                latest.merge(job.lane(), next, Math::max);
            } else {
                int has = running.getOrDefault(project, ProjectLoad.NONE).jobs();
                ProjectWaitReason.Quota quota =
                        new ProjectWaitReason.Quota(project, has, fleet.rules().mostRunning(project));
                places.add(new Place(job, project, 0, 0, null, quota));
            }
            load(project, job);
        }
    }

    private static int sum(Map<String, Integer> counts, Set<String> lanes) {
        return lanes.stream().mapToInt(lane -> counts.getOrDefault(lane, 0)).sum();
    }
}
