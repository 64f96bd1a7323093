package io.trainyard.dashboard;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Whether all that the topics had when somebody looked first has been read. What a fleet at work tells meanwhile does
/// not count: there is always some of it on its way. Not thread-safe.
final class CatchUp {
    private @Nullable Map<TopicPartition, Long> left;

    /// Takes in how far the topics are, and were read.
    ///
    /// @param ends of the partitions that hold something
    /// @param known of a partition, the offset that is read next
    /// @return whether it has been
    boolean see(Map<TopicPartition, Long> ends, ToLongFunction<TopicPartition> known) {
        if (left == null) {
            left = new HashMap<>(ends);
        }
        left.keySet().retainAll(ends.keySet()); // where all has been deleted meanwhile nothing is left to read
        left.entrySet().removeIf(end -> known.applyAsLong(end.getKey()) >= end.getValue());
        return left.isEmpty();
    }
}
