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
    public record Seat(String worker, String kind, int schemaVersion, int free) {
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

    private record Victim(Running job, Seat seat) {}

    /// @param waiting the highest priority first
    public static List<Decision> of(
            List<WaitingCommand> waiting, Collection<Seat> seats, Collection<Running> running, int most) {
        Map<Seat, Integer> free = new HashMap<>();
        seats.stream().filter(seat -> seat.free() > 0).forEach(seat -> free.put(seat, seat.free()));
        List<Victim> victims = victims(seats, running, most);
        List<Decision> decisions = new ArrayList<>();
        for (WaitingCommand command : waiting) {
            if (free.isEmpty() && victims.isEmpty()) {
                break; // regardless of further commands
            }
            if (command.priority() == Priority.HIGH && !takesFree(command, free)) {
                Optional<Victim> victim = victims.stream()
                        .filter(one ->
                                one.seat().mayRun(command) && !one.job().job().equals(command.job()))
                        .findFirst();
                victim.ifPresent(one -> {
                    victims.remove(one);
                    decisions.add(new Decision(one.job(), command));
                });
            }
        }
        return decisions;
    }

    private static List<Victim> victims(Collection<Seat> seats, Collection<Running> running, int most) {
        Map<String, Seat> able = new HashMap<>();
        seats.forEach(seat -> able.put(seat.worker(), seat));
        List<Victim> victims = new ArrayList<>();
        running.stream()
                .filter(job -> job.isPreemptible(most))
                .sorted(VICTIMS_FIRST)
                .forEach(job -> {
                    Seat seat = able.get(job.worker());
                    if (seat != null) {
                        victims.add(new Victim(job, seat));
                    }
                });
        return victims;
    }

    /// Whether a worker is free for a command; the command then occupies it.
    private static boolean takesFree(WaitingCommand command, Map<Seat, Integer> free) {
        Optional<Seat> taker =
                free.keySet().stream().filter(seat -> seat.mayRun(command)).min(Comparator.comparing(Seat::worker));
        taker.ifPresent(seat -> {
            free.merge(seat, -1, Integer::sum);
            free.values().removeIf(places -> places == 0);
        });
        return taker.isPresent();
    }
}
