package io.trainyard.tracking;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How far topics were read, in one transaction.
///
/// @param connection of that transaction
record OffsetTable(Connection connection) {
    Map<Partition, Long> all() throws SQLException {
        Map<Partition, Long> all = new HashMap<>();
        try (PreparedStatement select =
                        connection.prepareStatement("SELECT topic, partition, next_offset FROM offsets");
                ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                all.put(new Partition(rows.getString(1), rows.getInt(2)), rows.getLong(3));
            }
        }
        return all;
    }

    /// Moves on.
    ///
    /// @param from what is there; null: nothing
    /// @return false where something else is there: another process writes to this store, too
    boolean move(Partition partition, @Nullable Long from, long next) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                from == null
                        ? "INSERT INTO offsets (next_offset, topic, partition) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
                        : "UPDATE offsets SET next_offset = ? WHERE topic = ? AND partition = ? AND next_offset = ?")) {
            update.setLong(1, next);
            update.setString(2, partition.topic());
            update.setInt(3, partition.number());
            if (from != null) {
                update.setLong(4, from);
            }
            return update.executeUpdate() == 1;
        }
    }
}
