package io.trainyard.dashboard;

import io.trainyard.event.JobState.Status;
import io.trainyard.tracking.JobSummary;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Why jobs wait.
final class Waiting {
    /// Kinds of device of which every worker has one.
    private static final Set<String> ANY = Set.of("auto", "reference");

    private static final List<String> KINDS = List.of("auto", "reference", "cpu", "cuda");

    private Waiting() {}

    /// In words, by the kind of device that a queued job wants.
    static Map<String, String> byKind(List<WorkerView> workers) {
        return KINDS.stream().collect(Collectors.toMap(kind -> kind, kind -> reason(kind, workers)));
    }

    /// In words, after "waits: "; empty for a job that does not wait.
    ///
    /// @param workers all that are known
    static Optional<String> reason(JobSummary job, List<WorkerView> workers) {
        if (job.status() == Status.PAUSED) {
            return Optional.of("it is paused until somebody resumes it");
        }
        return job.status() == Status.QUEUED
                ? Optional.of(reason(Objects.requireNonNullElse(job.wants(), "auto"), workers))
                : Optional.empty();
    }

    private static String reason(String kind, List<WorkerView> workers) {
        boolean any = ANY.contains(kind);
        List<WorkerView> there = workers.stream()
                .filter(worker -> !worker.gone())
                .filter(worker ->
                        any || worker.device().equals(kind) || worker.device().startsWith(kind + ":"))
                .toList();
        if (there.isEmpty()) {
            return any ? "no worker is there" : "no worker is there whose device is " + kind;
        }
        if (there.stream().anyMatch(WorkerView::takesOne)) {
            return "a worker takes it in a moment";
        }
        long busy = there.stream().filter(worker -> !worker.jobs().isEmpty()).count();
        return there.stream()
                .filter(worker -> worker.jobs().isEmpty() && worker.problem() != null)
                .findFirst()
                .map(worker -> "%d of %d workers are busy, and %s takes no jobs: %s"
                        .formatted(busy, there.size(), worker.worker(), worker.problem()))
                .orElseGet(
                        () -> there.size() == 1 ? "the one worker is busy" : "all %d workers are busy".formatted(busy));
    }
}
