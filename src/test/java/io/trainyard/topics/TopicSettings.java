package io.trainyard.topics;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What topics are created with, for those who describe them.
public final class TopicSettings {
    private TopicSettings() {}

    /// Empty leaves it to the brokers.
    public static Optional<Integer> partitions(Topic topic) {
        return topic.partitions();
    }

    /// By Kafka's names, in their order.
    public static Map<String, String> of(Topic topic) {
        return new TreeMap<>(topic.settings());
    }
}
