package io.trainyard.tracking;

import io.trainyard.tracking.CurveTables.Key;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Adds losses to curves and builds the chunks that they complete, on all levels. A chunk is complete if a
/// later step exists or if the curve has ended. A chunk is rebuilt if steps are added to it later.
///
/// All state is in the store, except a cache of the last step of each curve. Not thread-safe.
final class CurveWriter {
    private static final int MAX_KNOWN = 10_000;

    private final Map<Key, Long> lastSteps = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Long> eldest) {
            return size() > MAX_KNOWN;
        }
    };

    /// Adds rows of one curve.
    ///
    /// @param grows whether more rows are expected
    void add(CurveTables tables, Key key, List<LossRow> rows, boolean grows) throws SQLException {
        long before = lastStep(tables, key);
        tables.add(key, rows);
        long last = rows.stream().mapToLong(LossRow::lastStep).reduce(before, Math::max);
        lastSteps.put(key, last);
        NavigableSet<Long> touched = rows.stream()
                .map(row -> Level.FIRST.chunk(row.firstStep()))
                .collect(Collectors.toCollection(TreeSet::new));
        if (before > 0) {
            touched.add(Level.FIRST.chunk(before));
        }
        build(tables, key, touched, grows ? last : Long.MAX_VALUE);
    }

    /// Builds the remaining chunks of a curve that has ended.
    void end(CurveTables tables, Key key) throws SQLException {
        add(tables, key, List.of(), false);
    }

    /// Drops the cache, which may differ from the store after a rollback or after writes of another process.
    void forget() {
        lastSteps.clear();
    }

    private long lastStep(CurveTables tables, Key key) throws SQLException {
        Long known = lastSteps.get(key);
        return known == null ? tables.lastStep(key) : known;
    }

    /// @param chunks the changed chunks of the first level
    /// @param last a step; the chunks before its chunk are complete
    private static void build(CurveTables tables, Key key, NavigableSet<Long> chunks, long last) throws SQLException {
        NavigableSet<Long> touched = chunks;
        for (Level level = Level.FIRST; !touched.isEmpty() && level.number() <= Level.MAX; level = level.coarser()) {
            NavigableSet<Long> complete = touched.headSet(level.chunk(last), false);
            if (complete.isEmpty()) {
                return;
            }
            for (long chunk : complete) {
                tables.put(
                        key,
                        level,
                        chunk,
                        level.isFirst() ? ofLosses(tables, key, chunk) : ofFiner(tables, key, level, chunk));
            }
            if (touched.last() == 0) {
                return; // a coarser chunk would hold the same
            }
            touched = touched.stream().map(chunk -> chunk / Level.RATIO).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Buckets ofLosses(CurveTables tables, Key key, long chunk) throws SQLException {
        Buckets buckets = new Buckets(Level.CHUNK);
        long first = Level.FIRST.firstStep(chunk);
        tables.losses(
                key,
                first,
                Level.FIRST.lastStep(chunk),
                new DistinctSteps((step, loss, millis) ->
                        buckets.add((int) ((step - first) / Level.FIRST.width()), loss, millis)));
        return buckets;
    }

    private static Buckets ofFiner(CurveTables tables, Key key, Level level, long chunk) throws SQLException {
        Buckets buckets = new Buckets(Level.CHUNK);
        long first = chunk * Level.RATIO;
        tables.chunks(key, level.finer(), first, first + Level.RATIO - 1, (part, finer) -> {
            for (int i = 0; i < finer.size(); i++) {
                buckets.add((int) ((part - first) * Level.CHUNK + i) / Level.RATIO, finer, i);
            }
        });
        return buckets;
    }
}
