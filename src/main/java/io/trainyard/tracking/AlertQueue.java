package io.trainyard.tracking;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Alerts that wait to be sent, and those that were: nobody is told twice. Thread-safe.
public final class AlertQueue {
    private final Database database;

    AlertQueue(Database database) {
        this.database = database;
    }

    /// An alert that was not taken yet.
    ///
    /// @param attempts so often it was sent in vain
    public record Pending(String id, long raisedMillis, int attempts, String body) {}

    /// Since when alerts are sent with this store: the first time that this is asked.
    public long since(long nowMillis) {
        return database.write(connection -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT since_millis FROM alerting");
                    ResultSet rows = select.executeQuery()) {
                if (rows.next()) {
                    return rows.getLong(1);
                }
            }
            update(connection, "INSERT INTO alerting (since_millis) VALUES (?)", nowMillis);
            return nowMillis;
        });
    }

    /// Keeps an alert until it is sent; one that is known already stays as it is.
    ///
    /// @param maxPending no more than so many wait
    /// @return false where too many wait: it was not kept
    public boolean add(String id, long nowMillis, String body, int maxPending) {
        return database.write(connection -> {
            try (PreparedStatement select =
                            connection.prepareStatement("SELECT COUNT(*) FROM alerts WHERE next_millis > 0");
                    ResultSet rows = select.executeQuery()) {
                rows.next();
                if (rows.getLong(1) >= maxPending) {
                    return false;
                }
            }
            update(connection, """
                    INSERT INTO alerts (id, raised_millis, next_millis, attempts, sent_millis, body)
                    VALUES (?, ?, ?, 0, 0, ?) ON CONFLICT DO NOTHING""", id, nowMillis, nowMillis, Database.text(body));
            return true;
        });
    }

    /// Those whose time has come, the first raised first.
    public List<Pending> due(long nowMillis, int most) {
        return database.read(connection -> {
            List<Pending> due = new ArrayList<>();
            try (PreparedStatement select = connection.prepareStatement("""
                    SELECT id, raised_millis, attempts, body FROM alerts WHERE next_millis > 0 AND next_millis <= ?
                    ORDER BY raised_millis, id LIMIT ?""")) {
                select.setLong(1, nowMillis);
                select.setInt(2, most);
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        due.add(new Pending(rows.getString(1), rows.getLong(2), rows.getInt(3), rows.getString(4)));
                    }
                }
            }
            return due;
        });
    }

    /// It was taken.
    public void sent(String id, long millis) {
        update("UPDATE alerts SET next_millis = 0, sent_millis = ? WHERE id = ?", millis, id);
    }

    /// It is not sent any more.
    public void givenUp(String id) {
        update("UPDATE alerts SET next_millis = 0 WHERE id = ?", id);
    }

    /// It was sent in vain.
    public void again(String id, long nextMillis) {
        update("UPDATE alerts SET next_millis = ?, attempts = attempts + 1 WHERE id = ?", nextMillis, id);
    }

    /// Forgets those that wait no more and were raised before a time.
    public void forget(long beforeMillis) {
        update("DELETE FROM alerts WHERE next_millis = 0 AND raised_millis < ?", beforeMillis);
    }

    private void update(String sql, @Nullable Object... values) {
        database.write(connection -> update(connection, sql, values));
    }

    private static int update(Connection connection, String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
