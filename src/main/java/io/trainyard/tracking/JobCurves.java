package io.trainyard.tracking;

import io.trainyard.tracking.CurveTables.Key;
import io.trainyard.tracking.CurveTables.SpanReader;
import io.trainyard.tracking.JobTables.Traced;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// The curves of jobs, each combined from the attempts that count, in one transaction.
final class JobCurves {
    private final CurveTables tables;
    private final List<Traced> jobs;

    private JobCurves(CurveTables tables, List<Traced> jobs) {
        this.tables = tables;
        this.jobs = jobs;
    }

    static JobCurves of(Connection connection, Collection<String> jobs) throws SQLException {
        return new JobCurves(new CurveTables(connection), new JobTables(connection).traced(jobs));
    }

    boolean isEmpty() {
        return jobs.isEmpty();
    }

    /// Losses of all jobs, merged by step; see [TrackingStore#losses].
    Curve losses(long from, long to, int points) throws SQLException {
        long last = 0;
        for (Traced job : jobs) {
            for (var attempt : job.lineage().lastSteps().entrySet()) {
                last = Math.max(
                        last, Math.min(tables.lastStep(new Key(job.number(), attempt.getKey())), attempt.getValue()));
            }
        }
        Curve curve = new Curve(from, Math.max(from, Math.min(to, last)), to >= last, points);
        for (Traced job : jobs) {
            for (var attempt : job.lineage().lastSteps().entrySet()) {
                curve.add(tables, new Key(job.number(), attempt.getKey()), attempt.getValue());
            }
        }
        return curve;
    }

    /// Reads all losses from a step on, job by job, each step once and in order.
    void spans(long from, SpanReader reader) throws SQLException {
        for (Traced job : jobs) {
            long[] next = {from};
            for (var attempt : job.lineage().lastSteps().entrySet()) {
                Key key = new Key(job.number(), attempt.getKey());
                tables.spans(key, next[0], attempt.getValue(), span -> {
                    next[0] = span.lastStep() + 1;
                    reader.take(span);
                });
            }
        }
    }

    /// The learning rates of each attempt, at a limited number of steps.
    List<RatePoint> learningRates(int points) throws SQLException {
        List<RatePoint> rates = new ArrayList<>();
        for (Traced job : jobs) {
            long first = 1;
            for (var attempt : job.lineage().lastSteps().entrySet()) {
                Key key = new Key(job.number(), attempt.getKey());
                long last = Math.min(tables.lastStep(key), attempt.getValue());
                rates.addAll(tables.rates(key, first, last, points));
                first = Math.max(first, last + 1);
            }
        }
        return List.copyOf(rates);
    }
}
