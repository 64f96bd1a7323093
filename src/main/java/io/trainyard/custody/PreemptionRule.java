package io.trainyard.custody;

import io.trainyard.topics.Priority;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Which jobs make room for which urgent commands. Every worker comes to the same answer from what all of them read,
/// and the one whose job it is acts: nobody else has to.
///
/// A command on a topic of `high` for which no worker is free takes the place of a job that allows it and is less
/// urgent. One that is normal takes nobody's place: it costs more than it is worth.
public final class PreemptionRule {
    /// The contract since which workers make room.
    public static final int SINCE = 3;

    /// Who makes room first: the least urgent, the one that was made to the fewest times, and then by name.
    private static final Comparator<Running> VICTIMS_FIRST = Comparator.comparing(Running::priority)
            .reversed()
            .thenComparingInt(Running::preemptions)
            .thenComparing(Running::job);

    private PreemptionRule() {}

    /// A worker that is heard and takes commands.
    ///
    /// @param kind of device that it has
    /// @param contract of commands that it understands
    /// @param free how many jobs more it may take
    public record Seat(String worker, String kind, int contract, int free) {
        private boolean mayRun(Waiting command) {
            return command.isFor(kind)
                    && command.contract() <= contract
                    && !command.refusedBy().contains(worker);
        }
    }

    /// A job that a worker has.
    ///
    /// @param priority how urgent it is at present
    /// @param preemptions how often it has made room
    public record Running(
            String job, int attempt, String worker, Priority priority, boolean preemptible, int preemptions) {}

    /// A job makes room for a command.
    public record Room(Running victim, Waiting urgent) {}

    /// @param waiting the most urgent first
    /// @param most times that a job makes room
    public static List<Room> of(List<Waiting> waiting, Collection<Seat> seats, Collection<Running> running, int most) {
        Map<String, Seat> workers = new HashMap<>();
        Map<String, Integer> free = new HashMap<>();
        seats.forEach(seat -> {
            workers.put(seat.worker(), seat);
            free.put(seat.worker(), seat.free());
        });
        List<Running> victims = new ArrayList<>(running.stream()
                .filter(job -> job.preemptible() && job.priority() != Priority.HIGH && job.preemptions() < most)
                .filter(job -> workers.containsKey(job.worker())
                        && workers.get(job.worker()).contract() >= SINCE)
                .sorted(VICTIMS_FIRST)
                .toList());
        List<Room> rooms = new ArrayList<>();
        for (Waiting command : waiting) {
            if (command.priority() == Priority.HIGH && !takesFree(command, workers, free)) {
                Optional<Running> victim = victims.stream()
                        .filter(job -> !job.job().equals(command.job()))
                        .filter(job -> workers.get(job.worker()).mayRun(command))
                        .findFirst();
                victim.ifPresent(job -> {
                    victims.remove(job);
                    rooms.add(new Room(job, command));
                });
            }
        }
        return rooms;
    }

    /// Whether a worker is free for a command, which then has it.
    private static boolean takesFree(Waiting command, Map<String, Seat> workers, Map<String, Integer> free) {
        Optional<String> taker = workers.values().stream()
                .filter(seat -> seat.mayRun(command))
                .map(Seat::worker)
                .filter(worker -> free.getOrDefault(worker, 0) > 0)
                .min(Comparator.naturalOrder());
        taker.ifPresent(worker -> free.merge(worker, -1, Integer::sum));
        return taker.isPresent();
    }
}
