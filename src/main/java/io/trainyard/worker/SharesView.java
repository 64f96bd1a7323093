package io.trainyard.worker;

import io.trainyard.custody.Parking.Parked;
import io.trainyard.custody.Request;
import io.trainyard.share.Hold;
import io.trainyard.share.Standings;
import io.trainyard.topics.Priority;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Whose turn it is in a fleet, as a worker knows it at a moment. Urgency comes first: projects have their turns among
/// jobs that are as urgent as one another.
///
/// @param parked commands that wait beside their topics, of those topics that this worker looks at: the first of each
///     project and urgency
/// @param isFull whether so many are parked that no worker may add another
/// @param queued the projects that have commands in the topics, or may have, by their urgency
/// @param idle workers that hold nothing
/// @param beats of this worker's
record SharesView(
        Standings standings,
        List<Parked<Deferred>> parked,
        boolean isFull,
        Map<Priority, Set<String>> queued,
        Set<String> idle,
        long beats) {
    /// Nothing is shared.
    static final SharesView NONE = new SharesView(Standings.NONE, List.of(), false, Map.of(), Set.of(), 0);

    /// Whose turn it is.
    record Turn(Priority priority, String project) {
        boolean isOf(Parked<?> command) {
            return command.priority() == priority && command.project().equals(project);
        }
    }

    /// Whose turn it is of all that wait; empty where nobody has room.
    ///
    /// @param order in which urgencies come
    /// @param open those that are parked and may be taken
    Optional<Turn> next(List<Priority> order, List<Parked<Deferred>> open) {
        return turn(order, open, queued);
    }

    /// The same of those that are parked alone.
    Optional<Turn> nextOf(List<Priority> order, List<Parked<Deferred>> open) {
        return turn(order, open, Map.of());
    }

    private Optional<Turn> turn(List<Priority> order, List<Parked<Deferred>> open, Map<Priority, Set<String>> others) {
        return order.stream()
                .flatMap(priority -> standings
                        .next(Stream.concat(
                                projects(open, priority).stream(), others.getOrDefault(priority, Set.of()).stream()))
                        .map(project -> new Turn(priority, project))
                        .stream())
                .findFirst();
    }

    private static Set<String> projects(List<Parked<Deferred>> open, Priority priority) {
        return open.stream()
                .filter(one -> one.priority() == priority)
                .map(Parked::project)
                .collect(Collectors.toSet());
    }

    /// Why a command that this worker was handed has to wait, in a sentence; empty: it need not.
    ///
    /// @param order in which urgencies come
    Optional<String> reasonToWait(List<Priority> order, Request request) {
        String project = request.job().projectName();
        Set<String> waiting = new HashSet<>(projects(parked, request.priority()));
        waiting.addAll(queued.getOrDefault(request.priority(), Set.of()));
        Optional<Hold> hold = standings.hold(project, waiting.stream());
        if (hold.filter(Hold.Quota.class::isInstance).isEmpty()
                && (isFull || standings.rules().isNone())) {
            return Optional.empty();
        }
        return hold.map(Hold::sentence).or(() -> moreUrgent(order, request.priority()));
    }

    private Optional<String> moreUrgent(List<Priority> order, Priority than) {
        return order.stream()
                .takeWhile(priority -> priority != than)
                .filter(priority ->
                        standings.next(projects(parked, priority).stream()).isPresent())
                .findFirst()
                .map(urgent -> "a command that is %s comes first"
                        .formatted(urgent.name().toLowerCase(Locale.ROOT)));
    }

    /// In words, that others have all permits of a project.
    static String withoutPermit(String project) {
        return "as many jobs of project %s run as may".formatted(project);
    }
}
