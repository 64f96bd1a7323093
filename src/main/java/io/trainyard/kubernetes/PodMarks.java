package io.trainyard.kubernetes;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Marks the workers' pods by their state. A pod has its worker's name.
///
/// A pod is patched when its mark changes, and periodically, because others may change it. Kubernetes asks for
/// few updates of the deletion cost, so a worker that runs short jobs one after the other is patched once: it
/// counts as idle after some seconds without a job. Until then its cost is lower than that of a worker with a
/// longer job, which is never removed in its place.
///
/// Used by one thread, except [#claimed].
public final class PodMarks {
    private static final System.Logger LOG = System.getLogger(PodMarks.class.getName());

    /// A pod stays newly busy for so long after a short job.
    static final Duration REST = Duration.ofSeconds(5);

    /// With a job for so long a worker is no longer newly busy.
    static final Duration SETTLED = Duration.ofMinutes(1);

    /// A pod is patched again after so long.
    static final Duration AGAIN = Duration.ofMinutes(5);

    /// Patches of one look. Those that are due and come too late for it are the first of the next, those with most to
    /// lose before all others.
    static final int MAX_AT_ONCE = 100;

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /// The maximum number of claims of workers without a later heartbeat.
    private static final int MAX_CLAIMS = 100_000;

    /// A worker as its last heartbeat shows it.
    ///
    /// @param jobs that it has; empty: none
    /// @param refuses whether it claims no jobs
    /// @param receivedMillis when it said so, since 1970
    public record Worker(String name, Set<String> jobs, boolean refuses, long receivedMillis) {}

    /// Of one worker: it has no more slots.
    private static final int MAX_JOBS = 64;

    /// What a worker has, or had last.
    ///
    /// @param sinceMillis by job
    private record Busy(Map<String, Long> sinceMillis, long lastMillis) {
        /// By the job that it has had longest.
        PodMark mark(long nowMillis) {
            return sinceMillis.values().stream().allMatch(since -> nowMillis - since < SETTLED.toMillis())
                    ? PodMark.NEWLY_BUSY
                    : PodMark.BUSY;
        }
    }

    private record Marked(PodMark mark, long millis) {}

    private record Due(String pod, PodMark mark, @Nullable Marked before) {
        boolean isNew() {
            return before == null || before.mark() != mark;
        }
    }

    private final Pods pods;
    private final Map<String, Map<String, Long>> claims = new LinkedHashMap<>(); // when, by job, by worker
    private final Map<String, Busy> busy = new HashMap<>();
    private final Map<String, Marked> marked = new HashMap<>();
    private long pauseMillis;
    private long retryMillis = Long.MIN_VALUE;
    private int unmarked;

    public PodMarks(Pods pods) {
        this.pods = pods;
    }

    /// A worker claimed a job; the event is earlier than its next heartbeat.
    ///
    /// @param millis time since 1970, by the clock of its heartbeats
    public void claimed(String worker, String job, long millis) {
        synchronized (claims) {
            Map<String, Long> ofWorker = Objects.requireNonNullElseGet(claims.remove(worker), LinkedHashMap::new);
            claims.put(worker, ofWorker);
            ofWorker.put(job, millis);
            if (ofWorker.size() > MAX_JOBS) {
                ofWorker.remove(ofWorker.keySet().iterator().next());
            }
            if (claims.size() > MAX_CLAIMS) {
                claims.remove(claims.keySet().iterator().next());
            }
        }
    }

    /// Patches pods whose marks are due.
    ///
    /// @param workers all known workers; the pod of one without recent heartbeats keeps its mark
    /// @param nowMillis since 1970
    public void look(Collection<Worker> workers, long nowMillis) {
        forgetAllBut(workers);
        List<Due> due = workers.stream()
                .map(worker -> new Due(worker.name(), wanted(worker, nowMillis), marked.get(worker.name())))
                .filter(one -> one.isNew() || isOld(one.before(), nowMillis))
                .sorted(Comparator.comparing(Due::mark)
                        .thenComparing(one -> !one.isNew())
                        .thenComparing(Due::pod))
                .toList();
        if (nowMillis >= retryMillis) {
            patch(due.subList(0, Math.min(due.size(), MAX_AT_ONCE)), nowMillis);
        }
        unmarked = (int) due.stream()
                .filter(one -> one.isNew() && marked.get(one.pod()) == one.before())
                .count();
    }

    private static boolean isOld(@Nullable Marked before, long nowMillis) {
        return before != null && nowMillis - before.millis() >= AGAIN.toMillis();
    }

    private void forgetAllBut(Collection<Worker> workers) {
        Set<String> names = workers.stream().map(Worker::name).collect(Collectors.toSet());
        marked.keySet().retainAll(names);
        busy.keySet().retainAll(names);
    }

    private PodMark wanted(Worker worker, long nowMillis) {
        Set<String> jobs = new HashSet<>(worker.jobs());
        jobs.addAll(claimedSince(worker));
        Busy last = busy.get(worker.name());
        if (!jobs.isEmpty()) {
            Map<String, Long> before = last == null ? Map.of() : last.sinceMillis();
            Map<String, Long> since = new HashMap<>();
            jobs.forEach(job -> since.put(job, before.getOrDefault(job, nowMillis)));
            Busy now = new Busy(since, nowMillis);
            busy.put(worker.name(), now);
            return now.mark(nowMillis);
        }
        if (last != null
                && last.mark(last.lastMillis()) == PodMark.NEWLY_BUSY
                && nowMillis - last.lastMillis() < REST.toMillis()) {
            return PodMark.NEWLY_BUSY;
        }
        return worker.refuses() ? PodMark.REFUSING : PodMark.IDLE;
    }

    /// The jobs that a worker has claimed since its last heartbeat.
    private Set<String> claimedSince(Worker worker) {
        synchronized (claims) {
            Map<String, Long> ofWorker = claims.get(worker.name());
            if (ofWorker == null) {
                return Set.of();
            }
            ofWorker.values().removeIf(millis -> millis < worker.receivedMillis());
            if (ofWorker.isEmpty()) {
                claims.remove(worker.name());
            }
            return Set.copyOf(ofWorker.keySet());
        }
    }

    /// Where one patch fails the others would: all wait.
    private void patch(List<Due> due, long nowMillis) {
        for (Due one : due) {
            try {
                if (!pods.mark(one.pod(), one.mark()) && one.before() == null) {
                    LOG.log(System.Logger.Level.INFO, "worker={0} has no pod of its name here", one.pod());
                }
                marked.put(one.pod(), new Marked(one.mark(), nowMillis));
            } catch (ApiServerException e) {
                failed(e, nowMillis);
                return;
            }
            if (pauseMillis > 0) {
                LOG.log(System.Logger.Level.INFO, "the API server is back: pods of workers are marked again");
            }
            pauseMillis = 0;
        }
    }

    private void failed(ApiServerException e, long nowMillis) {
        if (pauseMillis == 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "pods of workers are not marked busy or idle, so that scaling in may take a busy one: {0}; tried again until it works",
                    e.getMessage());
        }
        pauseMillis = Math.min(LONGEST_PAUSE.toMillis(), Math.max(FIRST_PAUSE.toMillis(), 2 * pauseMillis));
        retryMillis = nowMillis + pauseMillis;
    }

    public int unmarked() {
        return unmarked;
    }
}
