package io.trainyard.tracking;

import io.trainyard.event.Control;
import io.trainyard.event.Control.Urgency;
import io.trainyard.event.Control.Wish;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/// The table of what somebody wishes of jobs, in one transaction.
///
/// @param connection of that transaction
record WishTable(Connection connection) {
    void put(Collection<Control> wishes) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO wishes (job, wish, priority, millis) VALUES (?, ?, ?, ?)
                ON CONFLICT (job) DO UPDATE SET wish = excluded.wish, priority = excluded.priority, millis = excluded.millis""")) {
            for (Control wish : wishes) {
                Urgency priority = wish.priority();
                insert.setString(1, Database.text(wish.job()));
                insert.setString(2, wish.wish().name());
                insert.setString(3, priority == null ? null : priority.name());
                insert.setLong(4, wish.time().toEpochMilli());
                insert.executeUpdate();
            }
        }
    }

    Optional<Control> find(String job) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT wish, priority, millis FROM wishes WHERE job = ?")) {
            select.setString(1, Database.text(job));
            try (ResultSet rows = select.executeQuery()) {
                if (!rows.next()) {
                    return Optional.empty();
                }
                String priority = rows.getString(2);
                return Optional.of(new Control(
                        job,
                        Wish.valueOf(rows.getString(1)),
                        priority == null ? null : Urgency.valueOf(priority),
                        Instant.ofEpochMilli(rows.getLong(3))));
            }
        }
    }
}
