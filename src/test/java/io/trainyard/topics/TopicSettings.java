package io.trainyard.topics;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The settings of new topics, for tests of the documentation.
public final class TopicSettings {
    private TopicSettings() {}

    /// Empty for the brokers' default.
    public static Optional<Integer> partitions(Topic topic) {
        return topic.partitions();
    }

    /// By Kafka's names, in order.
    public static Map<String, String> of(Topic topic) {
        return new TreeMap<>(topic.settings());
    }
}
