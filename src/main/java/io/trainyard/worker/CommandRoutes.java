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

/// Which commands a worker takes, and where those belong that it takes by mistake.
///
/// @param prefix of the topics' names
/// @param kinds of devices the worker runs jobs on
record CommandRoutes(String prefix, Set<String> kinds) {
    /// Where to look for commands: the most urgent first, and side by side those that are as urgent as one another.
    List<List<ShareQueue.Source>> sources() {
        return Stream.of(Priority.values())
                .map(priority -> priority.topicsOf(kinds).stream()
                        .map(topic -> new ShareQueue.Source(topic.name(prefix), topic.claimGroup(prefix)))
                        .toList())
                .toList();
    }

    /// How urgent what is on a topic is that this worker looks at, 0 the most; empty: it does not look there.
    ///
    /// @param topic its full name
    OptionalInt urgency(String topic) {
        return IntStream.range(0, Priority.values().length)
                .filter(i -> Priority.values()[i].topicsOf(kinds).stream()
                        .anyMatch(looked -> looked.name(prefix).equals(topic)))
                .findFirst();
    }

    /// Where a job's command belongs, if that is none of the topics this worker looks at. Whoever looks there
    /// runs the job, so that no command is passed on twice.
    ///
    /// @param topic the full name of the topic it was on
    Optional<Topic> elsewhere(String topic, JobSpec job) {
        Priority priority = Priority.of(topic, prefix);
        Topic proper = priority.topicOf(job);
        return priority.topicsOf(kinds).contains(proper) ? Optional.empty() : Optional.of(proper);
    }
}
