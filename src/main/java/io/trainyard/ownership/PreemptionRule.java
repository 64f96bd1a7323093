package io.trainyard.ownership;

import io.trainyard.topics.Priority;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Decides which jobs are preempted for which high-priority commands. All workers compute the same result from
/// the same topics, and only the owner of a preempted job acts.
///
/// A `high` command without a free worker preempts a preemptible job of lower priority. A `normal` command
/// preempts nothing, because a preemption costs more than it gains.
public final class PreemptionRule {
    public static final int MOST = 3;

    /// The order of preemption: lowest priority, fewest preemptions, then name.
    public static final Comparator<Running> VICTIMS_FIRST = Comparator.comparing(Running::priority)
            .reversed()
            .thenComparingInt(Running::preemptions)
            .thenComparing(Running::job);

    private PreemptionRule() {}

    /// A live worker that claims commands.
    ///
    /// @param free the number of further jobs that it may run
    public record LiveWorker(String worker, String kind, int schemaVersion, int free) {
        private boolean mayRun(WaitingCommand command) {
            return command.isFor(kind)
                    && command.schemaVersion() <= schemaVersion
                    && !command.refusedBy().contains(worker);
        }
    }

    /// A job with an owner.
    public record Running(
            String job, int attempt, String worker, Priority priority, boolean preemptible, int preemptions) {
        /// Whether it may be preempted.
        public boolean isPreemptible(int most) {
            return preemptible && priority != Priority.HIGH && preemptions < most;
        }
    }

    public record Decision(Running victim, WaitingCommand command) {}

    private record Victim(Running job, LiveWorker worker) {}

    /// @param waiting the highest priority first
    public static List<Decision> of(
            List<WaitingCommand> waiting, Collection<LiveWorker> workers, Collection<Running> running, int most) {
        Map<LiveWorker, Integer> free = new HashMap<>();
        workers.stream().filter(worker -> worker.free() > 0).forEach(worker -> free.put(worker, worker.free()));
        List<Victim> victims = victims(workers, running, most);
        List<Decision> decisions = new ArrayList<>();
        for (WaitingCommand command : waiting) {
            if (free.isEmpty() && victims.isEmpty()) {
                break; // regardless of further commands
            }
            if (command.priority() == Priority.HIGH && !takesFree(command, free)) {
                Optional<Victim> victim = victims.stream()
                        .filter(one ->
                                one.worker().mayRun(command) && !one.job().job().equals(command.job()))
                        .findFirst();
                victim.ifPresent(one -> {
                    victims.remove(one);
                    decisions.add(new Decision(one.job(), command));
                });
            }
        }
        return decisions;
    }

    private static List<Victim> victims(Collection<LiveWorker> workers, Collection<Running> running, int most) {
        Map<String, LiveWorker> able = new HashMap<>();
        workers.forEach(worker -> able.put(worker.worker(), worker));
        List<Victim> victims = new ArrayList<>();
        running.stream()
                .filter(job -> job.isPreemptible(most))
                .sorted(VICTIMS_FIRST)
                .forEach(job -> {
                    LiveWorker worker = able.get(job.worker());
                    if (worker != null) {
                        victims.add(new Victim(job, worker));
                    }
                });
        return victims;
    }

    /// Whether a worker is free for a command; the command then occupies it.
    private static boolean takesFree(WaitingCommand command, Map<LiveWorker, Integer> free) {
        Optional<LiveWorker> taker = free.keySet().stream()
                .filter(worker -> worker.mayRun(command))
                .min(Comparator.comparing(LiveWorker::worker));
        taker.ifPresent(worker -> {
            free.merge(worker, -1, Integer::sum);
            free.values().removeIf(places -> places == 0);
        });
        return taker.isPresent();
    }
}
