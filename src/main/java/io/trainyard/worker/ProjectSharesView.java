package io.trainyard.worker;

import io.trainyard.ownership.CommandContent;
import io.trainyard.ownership.DeferredByProject.DeferredEntry;
import io.trainyard.share.ProjectOrder;
import io.trainyard.share.ProjectWaitReason;
import io.trainyard.topics.Priority;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The turns of projects at one moment, as a worker knows them. Priority comes first; projects take turns among
/// jobs of equal priority.
///
/// @param deferred deferred commands of the topics that this worker polls: the first of each project and priority
/// @param queued projects that have or may have commands in the topics
record ProjectSharesView(
        ProjectOrder projectOrder,
        List<DeferredEntry<DeferredRecord>> deferred,
        boolean isFull,
        Set<String> queued,
        Set<String> idle,
        long beats) {
    static final ProjectSharesView NONE =
            new ProjectSharesView(ProjectOrder.NONE, List.of(), false, Set.of(), Set.of(), 0);

    record Turn(Priority priority, String project) {
        boolean isOf(DeferredEntry<?> command) {
            return command.priority() == priority && command.project().equals(project);
        }
    }

    /// The project whose turn it is, including commands in the topics; empty if no quota allows a job.
    ///
    /// @param open the deferred commands that may be claimed
    Optional<Turn> next(List<Priority> order, List<DeferredEntry<DeferredRecord>> open) {
        return turn(order, open, queued);
    }

    Optional<Turn> nextOf(List<Priority> order, List<DeferredEntry<DeferredRecord>> open) {
        return turn(order, open, Set.of());
    }

    private Optional<Turn> turn(List<Priority> order, List<DeferredEntry<DeferredRecord>> open, Set<String> others) {
        return order.stream()
                .flatMap(priority -> projectOrder
                        .next(Stream.concat(projects(open, priority).stream(), others.stream()))
                        .map(project -> new Turn(priority, project))
                        .stream())
                .findFirst();
    }

    private static Set<String> projects(List<DeferredEntry<DeferredRecord>> open, Priority priority) {
        return open.stream()
                .filter(one -> one.priority() == priority)
                .map(DeferredEntry::project)
                .collect(Collectors.toSet());
    }

    /// Why a delivered command has to wait, in a sentence; empty if it need not.
    Optional<String> reasonToWait(List<Priority> order, CommandContent request) {
        String project = request.job().projectName();
        Set<String> waiting = new HashSet<>(projects(deferred, request.priority()));
        waiting.addAll(queued);
        Optional<ProjectWaitReason> hold = projectOrder.hold(project, waiting.stream());
        if (hold.filter(ProjectWaitReason.Quota.class::isInstance).isEmpty()
                && (isFull || projectOrder.rules().isNone())) {
            return Optional.empty();
        }
        return hold.map(ProjectWaitReason::sentence).or(() -> higherPriority(order, request.priority()));
    }

    private Optional<String> higherPriority(List<Priority> order, Priority than) {
        return order.stream()
                .takeWhile(priority -> priority != than)
                .filter(priority ->
                        projectOrder.next(projects(deferred, priority).stream()).isPresent())
                .findFirst()
                .map(higher -> "a command that is %s comes first"
                        .formatted(higher.name().toLowerCase(Locale.ROOT)));
    }

    static String withoutPermit(String project) {
        return "project %s has used up its quota".formatted(project);
    }
}
