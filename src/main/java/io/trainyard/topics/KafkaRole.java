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

/// Who does what at a fleet's Kafka, and the least that one must be allowed for it. To read or to write includes to see
/// that a topic is there.
public enum KafkaRole {
    /// Takes jobs, and tells of them. That it writes commands is for those it passes on; it deletes those that are
    /// dealt with, and looks among the dead letters whether one is.
    WORKER(
            commands(AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE),
            topic(Topic.STEPS, AclOperation.WRITE),
            topic(Topic.ACCURACY, AclOperation.WRITE),
            topic(Topic.CHECKPOINTS, AclOperation.WRITE),
            topic(Topic.JOBS, AclOperation.WRITE),
            topic(Topic.DEAD_LETTER, AclOperation.READ, AclOperation.WRITE),
            topic(Topic.CONTROL, AclOperation.READ, AclOperation.WRITE),
            topic(Topic.CUSTODY, AclOperation.READ, AclOperation.WRITE),
            topic(Topic.WORKERS, AclOperation.READ, AclOperation.WRITE),
            group("commands.", AclOperation.READ, AclOperation.ALTER_CONFIGS)),

    /// Shows everything, and publishes what people ask for on its page.
    DASHBOARD(
            commands(AclOperation.READ, AclOperation.WRITE),
            news(),
            topic(Topic.CONTROL, AclOperation.READ, AclOperation.WRITE),
            topic(Topic.WORKERS, AclOperation.READ)),

    /// `./trainyard jobs`, `watch` and `events`.
    READER(commands(AclOperation.READ), news(), topic(Topic.WORKERS, AclOperation.READ)),

    /// `./trainyard submit`; with `--watch` one is a reader, too.
    SUBMITTER(commands(AclOperation.WRITE)),

    /// `./trainyard cancel`, `pause`, `resume` and `reprioritize`.
    OPERATOR(
            commands(AclOperation.READ, AclOperation.WRITE),
            news(),
            topic(Topic.CONTROL, AclOperation.READ, AclOperation.WRITE)),

    /// `./trainyard topics`: makes the topics.
    ADMINISTRATOR(prefixed(ResourceType.TOPIC, "", AclOperation.CREATE));

    private final List<Grant> grants;

    @SafeVarargs
    KafkaRole(List<Grant>... grants) {
        this.grants = Stream.of(grants).flatMap(List::stream).toList();
    }

    /// One operation that is allowed: what one ACL is, but for who it is for.
    ///
    /// @param pattern how `name` is meant: exactly, or what all names begin with
    /// @param name without the fleet's prefix
    public record Grant(ResourceType type, PatternType pattern, String name, AclOperation operation) {
        /// What it is about, in one fleet.
        public ResourcePattern resource(String prefix) {
            return new ResourcePattern(type, prefix + name, pattern);
        }
    }

    /// All that is needed, and nothing else.
    public List<Grant> grants() {
        return grants;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static List<Grant> commands(AclOperation... operations) {
        return prefixed(ResourceType.TOPIC, "commands.", operations);
    }

    /// Events and dead letters; the commands are a line of their own.
    private static List<Grant> news() {
        List<Grant> grants = new ArrayList<>();
        Topic.NEWS.stream()
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
