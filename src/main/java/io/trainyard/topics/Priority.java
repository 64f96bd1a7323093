package io.trainyard.topics;

import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.spec.JobSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The priority of a command. Each priority has a topic for jobs of any device kind, and one for each kind that
/// jobs can request.
public enum Priority {
    HIGH(Topic.COMMANDS_HIGH, Topic.CPU_COMMANDS_HIGH, Topic.CUDA_COMMANDS_HIGH),
    NORMAL(Topic.COMMANDS_NORMAL, Topic.CPU_COMMANDS_NORMAL, Topic.CUDA_COMMANDS_NORMAL),
    LOW(Topic.COMMANDS_LOW, Topic.CPU_COMMANDS_LOW, Topic.CUDA_COMMANDS_LOW);

    /// The device kinds with separate topics.
    public static final Set<String> NAMED_KINDS = Set.of("cpu", "cuda");

    private final Topic common;
    private final Topic cpu;
    private final Topic cuda;

    Priority(Topic common, Topic cpu, Topic cuda) {
        this.common = common;
        this.cpu = cpu;
        this.cuda = cuda;
    }

    public static Priority of(RequestedPriority requested) {
        return switch (requested) {
            case HIGH -> HIGH;
            case NORMAL -> NORMAL;
            case LOW -> LOW;
        };
    }

    public RequestedPriority requested() {
        return switch (this) {
            case HIGH -> RequestedPriority.HIGH;
            case NORMAL -> RequestedPriority.NORMAL;
            case LOW -> RequestedPriority.LOW;
        };
    }

    /// The topic for a job's command: that of its device kind, or the common one if any worker may run it.
    /// `reference` uses the common topic because every machine has it.
    public Topic topicOf(JobSpec job) {
        return topicOf(job.device().kind());
    }

    /// The topics that a worker polls for this priority: the common one and those of its device kinds.
    public List<Topic> topicsOf(Set<String> kinds) {
        return Stream.concat(Stream.of(common), kinds.stream().sorted().map(this::topicOf))
                .distinct()
                .toList();
    }

    private Topic topicOf(String kind) {
        return switch (kind) {
            case "cpu" -> cpu;
            case "cuda" -> cuda;
            default -> common;
        };
    }

    /// The priority of a topic.
    ///
    /// @throws IllegalArgumentException if it is not one of [Topic#COMMANDS]
    public static Priority of(String topic, String prefix) {
        return Arrays.stream(values())
                .filter(priority -> Stream.of(priority.common, priority.cpu, priority.cuda)
                        .anyMatch(its -> its.name(prefix).equals(topic)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no commands are on topic " + topic));
    }
}
