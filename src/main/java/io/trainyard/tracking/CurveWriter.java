package io.trainyard.tracking;

import io.trainyard.tracking.CurveTables.Key;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Adds losses to curves, and builds the chunks of all levels that they complete. A chunk is complete when a later step
/// is there; of a curve that will not grow any more all are. A chunk to which steps come later is built anew.
///
/// Keeps nothing that is not in the store, but for how far curves are. Not thread-safe.
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
    /// @param grows whether more are expected
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

    /// Builds what is not complete yet of a curve that will not grow any more.
    void end(CurveTables tables, Key key) throws SQLException {
        add(tables, key, List.of(), false);
    }

    /// What is known may not be in the store: a transaction was rolled back, or somebody else has written.
    void forget() {
        lastSteps.clear();
    }

    private long lastStep(CurveTables tables, Key key) throws SQLException {
        Long known = lastSteps.get(key);
        return known == null ? tables.lastStep(key) : known;
    }

    /// @param chunks of the first level, to which something was added
    /// @param last chunks before the one with this step are complete
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
                return; // wider chunks would hold the same
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
                new Steps((step, loss, millis) ->
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
