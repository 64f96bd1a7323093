package io.trainyard.tracking;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// Stores which signed-in user submitted a job with the dashboard.
public final class Submitters {
    private final Database database;

    Submitters(Database database) {
        this.database = database;
    }

    /// Stores the submitter of jobs. The last submitter replaces an earlier one.
    ///
    /// @param millis the time, Unix time in ms
    public void add(Collection<String> jobs, Submitter submitter, long millis) {
        database.write(connection -> {
            Sql.batch(
                    connection,
                    """
                    INSERT INTO submitters (job, submitter, name, millis) VALUES (?, ?, ?, ?)
                    ON CONFLICT (job) DO UPDATE
                    SET submitter = excluded.submitter, name = excluded.name, millis = excluded.millis""",
                    jobs.stream()
                            .map(job -> List.of(job, submitter.id(), submitter.name(), millis))
                            .toList());
            return jobs;
        });
    }

    /// The name of the user who submitted a job last; empty if it was not submitted with the dashboard or
    /// without sign-in.
    public Optional<String> of(String job) {
        return database
                .read(connection -> Sql.list(
                        connection, "SELECT name FROM submitters WHERE job = ?", List.of(job), row -> row.getString(1)))
                .stream()
                .findFirst();
    }

    /// The number of a user's jobs that wait for a worker.
    ///
    /// @param submitter the user's id
    /// @param silentSince jobs without any record count as waiting if they were submitted since this time
    public long waiting(String submitter, long silentSince) {
        String sql = """
                SELECT COUNT(*) FROM submitters LEFT JOIN jobs ON jobs.job = submitters.job
                WHERE submitter = ? AND (status = 'QUEUED' OR status IS NULL AND millis >= ?)""";
        return database.read(connection -> Sql.number(connection, sql, submitter, silentSince));
    }
}
