package io.trainyard.topics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/// The roles of Kafka clients in a fleet and their minimal permissions. READ and WRITE on a topic imply
/// DESCRIBE.
public enum KafkaRole {
    /// Claims jobs and publishes their events. It writes commands to forward them, deletes accepted commands,
    /// and reads the dead letters to find rejected commands.
    WORKER(
            commands(AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE),
            topic(Topic.STEPS, AclOperation.WRITE),
            topic(Topic.ACCURACY, AclOperation.WRITE),
            topic(Topic.CHECKPOINTS, AclOperation.WRITE),
            topic(Topic.JOBS, AclOperation.WRITE),
            topic(Topic.DEAD_LETTER, AclOperation.READ, AclOperation.WRITE),
            topic(Topic.CONTROL, AclOperation.READ, AclOperation.WRITE),
            topic(Topic.OWNERSHIP, AclOperation.READ, AclOperation.WRITE),
            topic(Topic.WORKERS, AclOperation.READ, AclOperation.WRITE),
            group("commands.", AclOperation.READ, AclOperation.ALTER_CONFIGS)),

    /// Reads all topics and publishes users' commands, control requests and metrics.
    DASHBOARD(
            commands(AclOperation.READ, AclOperation.WRITE),
            jobTopics(),
            topic(Topic.CONTROL, AclOperation.READ, AclOperation.WRITE),
            topic(Topic.METRICS, AclOperation.READ, AclOperation.WRITE),
            topic(Topic.WORKERS, AclOperation.READ)),

    /// `./trainyard jobs`, `watch` and `events`.
    READER(commands(AclOperation.READ), jobTopics(), topic(Topic.WORKERS, AclOperation.READ)),

    /// `./trainyard submit`; with `--watch`, READER is also needed.
    SUBMITTER(commands(AclOperation.WRITE)),

    /// `./trainyard cancel`, `pause`, `resume` and `reprioritize`.
    OPERATOR(
            commands(AclOperation.READ, AclOperation.WRITE),
            jobTopics(),
            topic(Topic.CONTROL, AclOperation.READ, AclOperation.WRITE)),

    /// Programs that publish metrics of jobs.
    PUBLISHER(topic(Topic.METRICS, AclOperation.WRITE)),

    /// `./trainyard topics`, which creates the topics.
    ADMINISTRATOR(prefixed(ResourceType.TOPIC, "", AclOperation.CREATE));

    private final List<Grant> grants;

    @SafeVarargs
    KafkaRole(List<Grant>... grants) {
        this.grants = Stream.of(grants).flatMap(List::stream).toList();
    }

    /// One permitted operation, like an ACL without its principal.
    ///
    /// @param pattern whether `name` is an exact name or a prefix
    /// @param name without the fleet's prefix
    public record Grant(ResourceType type, PatternType pattern, String name, AclOperation operation) {
        public ResourcePattern resource(String prefix) {
            return new ResourcePattern(type, prefix + name, pattern);
        }
    }

    public List<Grant> grants() {
        return grants;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static List<Grant> commands(AclOperation... operations) {
        return prefixed(ResourceType.TOPIC, "commands.", operations);
    }

    /// Events and dead letters. Commands are granted separately.
    private static List<Grant> jobTopics() {
        List<Grant> grants = new ArrayList<>();
        Topic.JOB_TOPICS.stream()
                .filter(topic -> topic.content() != Topic.Content.COMMANDS)
                .forEach(topic -> grants.addAll(topic(topic, AclOperation.READ)));
        return grants;
    }

    private static List<Grant> topic(Topic topic, AclOperation... operations) {
        return grants(ResourceType.TOPIC, PatternType.LITERAL, topic.name(""), operations);
    }

    private static List<Grant> group(String name, AclOperation... operations) {
        return prefixed(ResourceType.GROUP, name, operations);
    }

    private static List<Grant> prefixed(ResourceType type, String name, AclOperation... operations) {
        return grants(type, PatternType.PREFIXED, name, operations);
    }

    private static List<Grant> grants(ResourceType type, PatternType pattern, String name, AclOperation... operations) {
        return Arrays.stream(operations)
                .map(operation -> new Grant(type, pattern, name, operation))
                .toList();
    }
}
