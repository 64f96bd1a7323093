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
    /// Wishes that are kept for jobs of which nothing was heard, the newest: their commands may be read later.
    static final int MAX_UNHEARD = 10_000;

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

    void forget(String job) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM wishes WHERE job = ?")) {
            delete.setString(1, Database.text(job));
            delete.executeUpdate();
        }
    }

    /// Forgets what is wished of jobs of which nothing was heard, if it is too much: the eldest first.
    ///
    /// @return how many
    int forgetUnheard(int most) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("""
                DELETE FROM wishes WHERE job IN (
                    SELECT job FROM wishes WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.job = wishes.job)
                    ORDER BY millis DESC, job LIMIT 1000000 OFFSET ?)""")) {
            delete.setInt(1, most);
            return delete.executeUpdate();
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
