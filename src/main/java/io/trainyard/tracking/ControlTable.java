package io.trainyard.tracking;

import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.Control.RequestedPriority;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// Accesses the table of control requests in one transaction.
record ControlTable(Connection connection) {
    /// The maximum number of stored requests for unknown jobs. Their commands may be read later.
    static final int MAX_UNKNOWN = 10_000;

    void put(Collection<Control> controls) throws SQLException {
        for (Control control : controls) { // one by one because a job may occur twice
            RequestedPriority priority = control.priority();
            Sql.update(
                    connection,
                    """
                    INSERT INTO control_requests (job, desired_state, priority, millis) VALUES (?, ?, ?, ?)
                    ON CONFLICT (job) DO UPDATE
                    SET desired_state = excluded.desired_state, priority = excluded.priority, millis = excluded.millis""",
                    control.job(),
                    control.desiredState().name(),
                    priority == null ? null : priority.name(),
                    control.time().toEpochMilli());
        }
    }

    /// Deletes the oldest requests for unknown jobs above a limit.
    ///
    /// @return the number of deleted requests
    int deleteUnknown(int most) throws SQLException {
        return Sql.update(connection, """
                DELETE FROM control_requests WHERE job IN (
                    SELECT job FROM control_requests WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.job = control_requests.job)
                    ORDER BY millis DESC, job LIMIT 1000000 OFFSET ?)""", most);
    }

    Optional<Control> find(String job) throws SQLException {
        return Sql.list(
                        connection,
                        "SELECT desired_state, priority, millis FROM control_requests WHERE job = ?",
                        List.of(job),
                        row -> {
                            String priority = row.getString(2);
                            return new Control(
                                    job,
                                    DesiredState.valueOf(row.getString(1)),
                                    priority == null ? null : RequestedPriority.valueOf(priority),
                                    Instant.ofEpochMilli(row.getLong(3)));
                        })
                .stream()
                .findFirst();
    }
}
