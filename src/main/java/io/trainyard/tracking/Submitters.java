package io.trainyard.tracking;

import java.util.Collection;
import java.util.List;
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

    /// The name of who submitted a job last; empty where it came another way, or nobody had to sign in.
    public Optional<String> of(String job) {
        return database
                .read(connection -> Sql.list(
                        connection, "SELECT name FROM submitters WHERE job = ?", List.of(job), row -> row.getString(1)))
                .stream()
                .findFirst();
    }

    /// How many of somebody's jobs wait for a worker.
    ///
    /// @param submitter the id
    /// @param unheardSince jobs that were submitted since then wait, too, if nothing was heard of them yet
    public long waiting(String submitter, long unheardSince) {
        String sql = """
                SELECT COUNT(*) FROM submitters LEFT JOIN jobs ON jobs.job = submitters.job
                WHERE submitter = ? AND (status = 'QUEUED' OR status IS NULL AND millis >= ?)""";
        return database.read(connection -> Sql.number(connection, sql, submitter, unheardSince));
    }
}
