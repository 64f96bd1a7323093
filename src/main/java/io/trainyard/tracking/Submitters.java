package io.trainyard.tracking;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;

/// Who submitted jobs by the dashboard, where people sign in.
public final class Submitters {
    private final Database database;

    Submitters(Database database) {
        this.database = database;
    }

    /// Keeps that somebody has submitted jobs; of one that was submitted before, that they did it last.
    ///
    /// @param millis when, since 1970
    public void add(Collection<String> jobs, Submitter submitter, long millis) {
        database.write(connection -> {
            try (PreparedStatement insert = connection.prepareStatement("""
                    INSERT INTO submitters (job, submitter, name, millis) VALUES (?, ?, ?, ?)
                    ON CONFLICT (job) DO UPDATE
                    SET submitter = excluded.submitter, name = excluded.name, millis = excluded.millis""")) {
                for (String job : jobs) {
                    insert.setString(1, Database.text(job));
                    insert.setString(2, Database.text(submitter.id()));
                    insert.setString(3, Database.text(submitter.name()));
                    insert.setLong(4, millis);
                    insert.addBatch();
                }
                return insert.executeBatch();
            }
        });
    }

    /// The name of who submitted a job last; empty where it came another way, or nobody had to sign in.
    public Optional<String> of(String job) {
        return database.read(connection -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT name FROM submitters WHERE job = ?")) {
                select.setString(1, Database.text(job));
                try (ResultSet rows = select.executeQuery()) {
                    return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
                }
            }
        });
    }

    /// How many of somebody's jobs wait for a worker.
    ///
    /// @param submitter the id
    /// @param unheardSince jobs that were submitted since then wait, too, if nothing was heard of them yet
    public long waiting(String submitter, long unheardSince) {
        return database.read(connection -> {
            try (PreparedStatement select = connection.prepareStatement("""
                    SELECT COUNT(*) FROM submitters LEFT JOIN jobs ON jobs.job = submitters.job
                    WHERE submitter = ? AND (status = 'QUEUED' OR status IS NULL AND millis >= ?)""")) {
                select.setString(1, Database.text(submitter));
                select.setLong(2, unheardSince);
                try (ResultSet rows = select.executeQuery()) {
                    rows.next();
                    return rows.getLong(1);
                }
            }
        });
    }

    /// In the transaction that forgets the job.
    static void forget(Connection connection, String job) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM submitters WHERE job = ?")) {
            delete.setString(1, Database.text(job));
            delete.executeUpdate();
        }
    }
}
