package io.trainyard.worker;

import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Which commands a worker claims, and where a misrouted command belongs.
///
/// @param kinds of devices on which the worker runs jobs
record CommandRoutes(String prefix, Set<String> kinds) {
    /// The topics to poll: the highest priority first; topics of equal priority share a list.
    List<List<ShareQueue.Source>> sources() {
        return Stream.of(Priority.values())
                .map(priority -> priority.topicsOf(kinds).stream()
                        .map(topic -> new ShareQueue.Source(topic.name(prefix), topic.claimGroup(prefix)))
                        .toList())
                .toList();
    }

    /// The priority of a topic that this worker polls, 0 the highest; empty if it does not poll it.
    OptionalInt priorityIndex(String topic) {
        return IntStream.range(0, Priority.values().length)
                .filter(i -> Priority.values()[i].topicsOf(kinds).stream()
                        .anyMatch(looked -> looked.name(prefix).equals(topic)))
                .findFirst();
    }

    /// The topic of a command that this worker does not poll. The workers that poll it run the job, so no
    /// command is forwarded twice.
    Optional<Topic> elsewhere(String topic, JobSpec job) {
        Priority priority = Priority.of(topic, prefix);
        Topic proper = priority.topicOf(job);
        return priority.topicsOf(kinds).contains(proper) ? Optional.empty() : Optional.of(proper);
    }
}
