package io.trainyard.dashboard;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Whether the records that were on the topics at the first check have been read. Later records do not count,
/// because a running fleet always has unread ones. Not thread-safe.
final class InitialRead {
    private @Nullable Map<TopicPartition, Long> left;

    /// Updates the state from the ends and positions of the topics.
    ///
    /// @param ends of the partitions that contain records
    /// @param known the next offset to read of a partition
    /// @return whether all of these records have been read
    boolean see(Map<TopicPartition, Long> ends, ToLongFunction<TopicPartition> known) {
        if (left == null) {
            left = new HashMap<>(ends);
        }
        left.keySet().retainAll(ends.keySet()); // a partition without records has nothing left to read
        left.entrySet().removeIf(end -> known.applyAsLong(end.getKey()) >= end.getValue());
        return left.isEmpty();
    }
}
