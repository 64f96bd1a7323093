package io.trainyard.tracking;

import java.util.List;

/// Stores pending and sent alerts so that each alert is sent once. Thread-safe.
public final class AlertQueue {
    private final Database database;

    AlertQueue(Database database) {
        this.database = database;
    }

    /// An alert that has not been delivered yet.
    ///
    /// @param attempts the number of failed attempts to send it
    public record Pending(String id, long raisedMillis, int attempts, String body) {}

    /// The time from which alerts are sent with this store, set by the first call.
    public long since(long nowMillis) {
        return database.write(connection -> {
            List<Long> known =
                    Sql.list(connection, "SELECT since_millis FROM alerting", List.of(), row -> row.getLong(1));
            if (known.isEmpty()) {
                Sql.update(connection, "INSERT INTO alerting (since_millis) VALUES (?)", nowMillis);
                return nowMillis;
            }
            return known.getFirst();
        });
    }

    /// Stores an alert until it is sent. A known alert is left unchanged.
    ///
    /// @param maxPending the limit of pending alerts
    /// @return false if the limit is reached and the alert was not stored
    public boolean add(String id, long nowMillis, String body, int maxPending) {
        return database.write(connection -> {
            if (Sql.number(connection, "SELECT COUNT(*) FROM alerts WHERE next_millis > 0") >= maxPending) {
                return false;
            }
            Sql.update(connection, """
                    INSERT INTO alerts (id, raised_millis, next_millis, attempts, sent_millis, body)
                    VALUES (?, ?, ?, 0, 0, ?) ON CONFLICT DO NOTHING""", id, nowMillis, nowMillis, body);
            return true;
        });
    }

    /// The pending alerts that are due, the oldest first.
    public List<Pending> due(long nowMillis, int most) {
        return database.read(connection -> Sql.list(
                connection,
                """
                SELECT id, raised_millis, attempts, body FROM alerts WHERE next_millis > 0 AND next_millis <= ?
                ORDER BY raised_millis, id LIMIT ?""",
                List.of(nowMillis, most),
                row -> new Pending(row.getString(1), row.getLong(2), row.getInt(3), row.getString(4))));
    }

    public void sent(String id, long millis) {
        update("UPDATE alerts SET next_millis = 0, sent_millis = ? WHERE id = ?", millis, id);
    }

    public void givenUp(String id) {
        update("UPDATE alerts SET next_millis = 0 WHERE id = ?", id);
    }

    public void retry(String id, long nextMillis) {
        update("UPDATE alerts SET next_millis = ?, attempts = attempts + 1 WHERE id = ?", nextMillis, id);
    }

    /// Deletes alerts that are no longer pending and were raised before a time.
    public void forget(long beforeMillis) {
        update("DELETE FROM alerts WHERE next_millis = 0 AND raised_millis < ?", beforeMillis);
    }

    private void update(String sql, Object... values) {
        database.write(connection -> Sql.update(connection, sql, values));
    }
}
