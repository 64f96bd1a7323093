package io.trainyard.tracking;

import io.trainyard.tracking.CurveTables.Key;
import java.sql.SQLException;

/// The losses of a range of steps in adjacent buckets of equal width, computed from all losses in the range.
/// Not thread-safe until it is loaded.
public final class Curve {
    private final long firstStep;
    private final long lastStep;
    private final boolean toTheEnd;
    private final int level;

    private final int together;
    private final Buckets buckets;

    /// Creates an empty curve.
    ///
    /// @param from the first step
    /// @param to the last step
    /// @param toTheEnd whether no later losses exist
    /// @param points the minimum number of buckets, if the range has that many steps; the maximum is twice that
    ///     number plus two
    Curve(long from, long to, boolean toTheEnd, int points) {
        firstStep = from;
        lastStep = to;
        this.toTheEnd = toTheEnd;
        level = Level.of(to - from + 1, points);
        together = level > 0 && (to - from + 1) / new Level(level).width() >= 2L * points ? 2 : 1;
        buckets = new Buckets(place(to) + 1);
    }

    private int place(long step) {
        return (int) (level == 0 ? step - firstStep : bucket(step) - bucket(firstStep));
    }

    private long bucket(long step) {
        return new Level(level).bucket(step) / together;
    }

    /// Adds the losses of one attempt up to a step. The attempts of a job are added in the order of their
    /// steps.
    void add(CurveTables tables, Key key, long upTo) throws SQLException {
        long last = toTheEnd && upTo == Long.MAX_VALUE ? endOfBucket() : Math.min(lastStep, upTo);
        if (firstStep <= last) {
            add(tables, key, level, firstStep, last);
        }
    }

    /// If no losses follow the last step, its bucket can be read as a whole.
    private long endOfBucket() {
        return level == 0 ? lastStep : new Level(level).firstStepOfBucket((bucket(lastStep) + 1) * together) - 1;
    }

    /// Adds a range of steps: complete buckets from the chunks of a level, the steps before and after them from
    /// finer levels.
    private void add(CurveTables tables, Key key, int from, long first, long last) throws SQLException {
        if (from == 0) {
            addLosses(tables, key, first, last);
            return;
        }
        Level source = new Level(from);
        long firstWhole = source.bucket(first + source.width() - 1);
        long endWhole = source.bucket(last + 1);
        if (firstWhole >= endWhole) {
            add(tables, key, from - 1, first, last);
            return;
        }
        var rest = new Object() {
            long first;
        };
        rest.first = first;
        tables.chunks(key, source, firstWhole / Level.CHUNK, (endWhole - 1) / Level.CHUNK, (chunk, found) -> {
            long begin = Math.max(chunk * Level.CHUNK, firstWhole);
            long end = Math.min((chunk + 1) * Level.CHUNK, endWhole);
            if (rest.first < source.firstStepOfBucket(begin)) {
                add(tables, key, from - 1, rest.first, source.firstStepOfBucket(begin) - 1);
            }
            for (long bucket = begin; bucket < end; bucket++) {
                buckets.add(place(source.firstStepOfBucket(bucket)), found, (int) (bucket % Level.CHUNK));
            }
            rest.first = source.firstStepOfBucket(end);
        });
        if (rest.first <= last) {
            add(tables, key, from - 1, rest.first, last);
        }
    }

    private void addLosses(CurveTables tables, Key key, long first, long last) throws SQLException {
        long row = Level.FIRST.firstStep(Level.FIRST.chunk(first));
        tables.losses(key, row, last, new DistinctSteps((step, loss, millis) -> {
            if (step >= first && step <= last) {
                buckets.add(place(step), loss, millis);
            }
        }));
    }

    /// The first step of a bucket. The first bucket starts with the range.
    public long firstStep(int bucket) {
        return bucket == 0 ? firstStep : level == 0 ? firstStep + bucket : startOf(bucket);
    }

    /// The last step of a bucket. The last bucket ends with the range.
    public long lastStep(int bucket) {
        return bucket == buckets.size() - 1 ? lastStep : level == 0 ? firstStep + bucket : startOf(bucket + 1) - 1;
    }

    private long startOf(int bucket) {
        return new Level(level).firstStepOfBucket((bucket(firstStep) + bucket) * together);
    }

    /// The buckets; some may be empty.
    public Buckets buckets() {
        return buckets;
    }
}
