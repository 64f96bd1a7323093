package io.trainyard.tracking;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Accesses the offsets up to which topics were read, in one transaction.
record OffsetTable(Connection connection) {
    Map<Partition, Long> all() throws SQLException {
        Map<Partition, Long> all = new HashMap<>();
        Sql.each(
                connection,
                "SELECT topic, partition, next_offset FROM offsets",
                0,
                List.of(),
                row -> all.put(new Partition(row.getString(1), row.getInt(2)), row.getLong(3)));
        return all;
    }

    /// Sets the next offset of a partition.
    ///
    /// @param from the expected current value; null before the first
    /// @return false if the current value differs, because another process writes to this store
    boolean move(Partition partition, @Nullable Long from, long next) throws SQLException {
        String topic = partition.topic();
        int changed = from == null
                ? Sql.update(
                        connection,
                        "INSERT INTO offsets (next_offset, topic, partition) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                        next,
                        topic,
                        partition.number())
                : Sql.update(
                        connection,
                        "UPDATE offsets SET next_offset = ? WHERE topic = ? AND partition = ? AND next_offset = ?",
                        next,
                        topic,
                        partition.number(),
                        from);
        return changed == 1;
    }
}
