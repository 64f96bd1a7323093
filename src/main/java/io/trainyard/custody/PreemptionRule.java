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
    /// How often a job makes room, unless its worker is told otherwise.
    public static final int MOST = 3;

    /// Who makes room first: the least urgent, the one that was made to the fewest times, and then by name.
    public static final Comparator<Running> VICTIMS_FIRST = Comparator.comparing(Running::priority)
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
            String job, int attempt, String worker, Priority priority, boolean preemptible, int preemptions) {
        /// Whether it makes room for what is urgent.
        ///
        /// @param most times that a job does
        public boolean makesRoom(int most) {
            return preemptible && priority != Priority.HIGH && preemptions < most;
        }
    }

    /// A job makes room for a command.
    public record Room(Running victim, Waiting urgent) {}

    private record Victim(Running job, Seat seat) {}

    /// @param waiting the most urgent first
    /// @param most times that a job makes room
    public static List<Room> of(List<Waiting> waiting, Collection<Seat> seats, Collection<Running> running, int most) {
        Map<Seat, Integer> free = new HashMap<>();
        seats.stream().filter(seat -> seat.free() > 0).forEach(seat -> free.put(seat, seat.free()));
        List<Victim> victims = victims(seats, running, most);
        List<Room> rooms = new ArrayList<>();
        for (Waiting command : waiting) {
            if (free.isEmpty() && victims.isEmpty()) {
                break; // however many wait
            }
            if (command.priority() == Priority.HIGH && !takesFree(command, free)) {
                Optional<Victim> victim = victims.stream()
                        .filter(one ->
                                one.seat().mayRun(command) && !one.job().job().equals(command.job()))
                        .findFirst();
                victim.ifPresent(one -> {
                    victims.remove(one);
                    rooms.add(new Room(one.job(), command));
                });
            }
        }
        return rooms;
    }

    private static List<Victim> victims(Collection<Seat> seats, Collection<Running> running, int most) {
        Map<String, Seat> able = new HashMap<>();
        seats.forEach(seat -> able.put(seat.worker(), seat));
        List<Victim> victims = new ArrayList<>();
        running.stream()
                .filter(job -> job.makesRoom(most))
                .sorted(VICTIMS_FIRST)
                .forEach(job -> {
                    Seat seat = able.get(job.worker());
                    if (seat != null) {
                        victims.add(new Victim(job, seat));
                    }
                });
        return victims;
    }

    /// Whether a worker is free for a command, which then has it.
    private static boolean takesFree(Waiting command, Map<Seat, Integer> free) {
        Optional<Seat> taker =
                free.keySet().stream().filter(seat -> seat.mayRun(command)).min(Comparator.comparing(Seat::worker));
        taker.ifPresent(seat -> {
            free.merge(seat, -1, Integer::sum);
            free.values().removeIf(places -> places == 0);
        });
        return taker.isPresent();
    }
}
