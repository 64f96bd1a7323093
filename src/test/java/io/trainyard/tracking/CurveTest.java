package io.trainyard.tracking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.tracking.CurveTables.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Compares curves from the store with curves from all losses.
final class CurveTest {
    private static final int SEEDS = 12;
    private static final int RANGES = 12;
    private static final long MILLIS = 1_700_000_000_000L;

    /// The published loss of a step.
    private record Loss(float loss, long millis) {}

    @ParameterizedTest
    @EnumSource
    void aCurveIsThatOfAllLossesAtEveryZoom(Databases kind) {
        try (Database database = Database.open(kind.empty())) {
            for (int seed = 0; seed < SEEDS; seed++) {
                check(database, new Random(seed), new Key(seed + 1L, 1 + seed % 3));
            }
        }
    }

    /// Adds a curve in several transactions, with gaps, repeated and late losses, and NaNs; then checks ranges
    /// of it.
    private static void check(Database database, Random random, Key key) {
        CurveWriter writer = new CurveWriter();
        NavigableMap<Long, Loss> all = new TreeMap<>();
        List<StepLosses> published = new ArrayList<>();
        List<StepLosses> late = new ArrayList<>();
        long next = 1 + random.nextInt(3000);
        boolean ends = random.nextBoolean();
        int transactions = 1 + random.nextInt(30);
        for (int transaction = 1; transaction <= transactions; transaction++) {
            List<StepLosses> events = new ArrayList<>();
            for (int i = random.nextInt(10); i >= 0; i--) {
                StepLosses event = event(random, key, next);
                next += event.losses().length + (random.nextInt(20) == 0 ? random.nextInt(5000) : 0);
                (random.nextInt(15) == 0 ? late : events).add(event);
            }
            if (!published.isEmpty() && random.nextInt(3) == 0) {
                events.add(published.get(random.nextInt(published.size())));
            }
            if (!late.isEmpty() && random.nextInt(4) == 0) {
                events.add(late.remove(random.nextInt(late.size())));
            }
            published.addAll(events);
            List<LossRow> rows = new ArrayList<>();
            for (StepLosses event : events) {
                long millis = MILLIS + event.firstStep();
                rows.addAll(LossRow.of(event, millis));
                for (int i = 0; i < event.losses().length; i++) {
                    all.putIfAbsent(event.firstStep() + i, new Loss(event.losses()[i], millis));
                }
            }
            boolean grows = !(ends && transaction == transactions);
            database.write(connection -> {
                writer.add(new CurveTables(connection), key, rows, grows);
                return key;
            });
            if (random.nextInt(5) == 0) {
                writer.forget();
            }
        }
        for (int i = 0; i < RANGES; i++) {
            long from = i == 0 ? 1 : 1 + random.nextLong(next);
            long to = i == 0 ? next : from + random.nextLong(random.nextBoolean() ? 200 : next);
            long upTo = random.nextInt(3) == 0 ? from + random.nextLong(to - from + 1) : Long.MAX_VALUE;
            Curve curve = new Curve(from, to, to >= all.lastKey(), 1 + random.nextInt(100));
            database.read(connection -> {
                curve.add(new CurveTables(connection), key, upTo);
                return key;
            });
            assertSame(curve, new TreeMap<>(all.headMap(upTo, true)));
        }
    }

    private static StepLosses event(Random random, Key key, long firstStep) {
        float[] losses = new float[1 + random.nextInt(random.nextInt(10) == 0 ? 3000 : 50)];
        for (int i = 0; i < losses.length; i++) {
            losses[i] = switch (random.nextInt(40)) {
                case 0 -> Float.NaN;
                case 1 -> Float.POSITIVE_INFINITY;
                default -> 2 + random.nextFloat();
            };
        }
        return new StepLosses("job", key.attempt(), 0, firstStep, losses, firstStep * 100, 0.1);
    }

    private static void assertSame(Curve curve, NavigableMap<Long, Loss> all) {
        Buckets buckets = curve.buckets();
        for (int i = 0; i < buckets.size(); i++) {
            var inside = all.subMap(curve.firstStep(i), true, curve.lastStep(i), true);
            double[] finite = inside.values().stream()
                    .mapToDouble(Loss::loss)
                    .filter(Double::isFinite)
                    .toArray();
            assertThat(buckets.count(i))
                    .as("steps %d to %d", curve.firstStep(i), curve.lastStep(i))
                    .isEqualTo(inside.size());
            assertThat(buckets.notFinite(i)).isEqualTo(inside.size() - finite.length);
            if (!inside.isEmpty()) {
                assertThat(Float.compare(
                                buckets.last(i), inside.lastEntry().getValue().loss()))
                        .isZero();
                assertThat(buckets.millis(i))
                        .isEqualTo(inside.lastEntry().getValue().millis());
            }
            if (finite.length > 0) {
                var statistics = java.util.Arrays.stream(finite).summaryStatistics();
                double squares = java.util.Arrays.stream(finite)
                        .map(loss -> Math.pow(loss - statistics.getAverage(), 2))
                        .sum();
                assertThat((double) buckets.min(i)).isEqualTo(statistics.getMin());
                assertThat((double) buckets.max(i)).isEqualTo(statistics.getMax());
                assertThat(buckets.mean(i)).isCloseTo(statistics.getAverage(), within(1e-12));
                assertThat(buckets.deviation(i)).isCloseTo(Math.sqrt(squares / finite.length), within(1e-9));
            }
        }
    }
}
