package io.trainyard.tracking;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.MetricValues;
import io.trainyard.tracking.MetricPoints.Point;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MetricTablesTest {
    private static MetricValues values(String job, long step, Map<String, Double> values) {
        return new MetricValues(job, step, Instant.ofEpochMilli(1000 + step), values);
    }

    private static List<JobRecord> known(String job) {
        return List.of(new EventRecord(claimed(job), 1));
    }

    private static List<Long> steps(MetricPoints metric) {
        return metric.points().stream().map(Point::step).toList();
    }

    @ParameterizedTest
    @EnumSource
    void metricsAreKeptInOrderAndReplacedByStep(Databases kind) {
        String url = kind.empty();
        Partition partition = new Partition("metrics", 0);
        try (TrackingStore store = TrackingStore.open(url)) {
            store.take(
                    List.of(),
                    List.of(values("a", 7, Map.of("f1", 0.5)), values("a", 3, Map.of("f1", 0.25))),
                    Map.of(partition, 2L));
            assertThat(store.metrics("a", 10)).as("of a job without a command").isEmpty();
            store.take(
                    known("a"),
                    List.of(values("a", 3, Map.of("f1", 0.75, "val/ece", -1e300)), values("b", 1, Map.of("f1", 1.0))),
                    Map.of(partition, 4L));
        }
        try (TrackingStore store = TrackingStore.open(url)) {
            assertThat(store.offsets()).containsEntry(partition, 4L);
            assertThat(store.metrics("a", 10).orElseThrow())
                    .containsExactly(
                            new MetricPoints(
                                    "f1", 7, 0.5, 1007, List.of(new Point(3, 1003, 0.75), new Point(7, 1007, 0.5))),
                            new MetricPoints("val/ece", 3, -1e300, 1003, List.of(new Point(3, 1003, -1e300))));
            store.take(List.of(new EventRecord(finished("a", 1, 10), 5)), Map.of());
            assertThat(store.forget(Long.MAX_VALUE, 0, 10)).containsExactly("a");
            store.take(known("a"), Map.of());
            assertThat(store.metrics("a", 10)).hasValue(List.of());
        }
    }

    /// Anyone may publish without end. A long series stays evenly spread, ends with its newest point, and
    /// repeated steps replace earlier ones.
    @ParameterizedTest
    @EnumSource
    void aLongMetricIsThinned(Databases kind) throws Exception {
        int all = 5 * MetricTables.MAX_POINTS;
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            for (int first = 0; first < all; first += 4000) {
                List<MetricValues> batch = new ArrayList<>();
                for (int step = first; step < Math.min(all, first + 4000); step++) {
                    batch.add(values("a", step, Map.of("x", (double) step)));
                }
                store.take(first == 0 ? known("a") : List.of(), batch, Map.of());
            }
            List<MetricPoints> found = new ArrayList<>();
            store.eachMetric("a", found::add);
            List<Long> steps = steps(found.getFirst());
            assertThat(steps).hasSizeBetween(MetricTables.MAX_POINTS / 2, MetricTables.MAX_POINTS + 1);
            assertThat(steps.subList(0, steps.size() - 1))
                    .isEqualTo(LongStream.range(0, steps.size() - 1)
                            .map(i -> 8 * i)
                            .boxed()
                            .toList());
            assertThat(steps.getLast()).isEqualTo(all - 1);
            List<Long> few = steps(store.metrics("a", 100).orElseThrow().getFirst());
            assertThat(few).hasSizeBetween(90, 101).startsWith(0L).endsWith(all - 1L);
            store.take(
                    List.of(), List.of(values("a", 8, Map.of("x", -1.0)), values("a", 9, Map.of("x", 9.0))), Map.of());
            found.clear();
            store.eachMetric("a", found::add);
            assertThat(found.getFirst().points().get(1).value()).isEqualTo(-1);
            assertThat(found.getFirst().last()).isEqualTo(all - 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void strangersCannotFloodTheStore(Databases kind) throws Exception {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            store.take(known("a"), List.of(values("a", 1, Map.of("ours", 1.0))), Map.of());
            store.take(List.of(), List.of(values("ghost-0", 1, Map.of("early", 1.0))), Map.of());
            long before = store.omitted();
            store.take(
                    List.of(),
                    IntStream.range(0, 300)
                            .mapToObj(i -> values("a", 1, Map.of("name" + i, 1.0)))
                            .toList(),
                    Map.of());
            assertThat(store.metrics("a", 1).orElseThrow())
                    .hasSize(MetricValues.MAX_NAMES)
                    .extracting(MetricPoints::name)
                    .startsWith("ours");
            assertThat(store.omitted()).isGreaterThan(before);
            for (int batch = 1; batch <= 6; batch++) {
                List<MetricValues> flood = new ArrayList<>();
                for (int i = 0; i < 40_000; i++) {
                    flood.add(values("ghost-" + batch + "-" + i % 5, i, Map.of("x", 1.0)));
                }
                store.take(List.of(), flood, Map.of());
            }
            List<MetricPoints> found = new ArrayList<>();
            for (int batch = 0; batch <= 6; batch++) {
                for (int i = 0; i < 5; i++) {
                    store.eachMetric(batch == 0 ? "ghost-0" : "ghost-" + batch + "-" + i, found::add);
                }
            }
            assertThat(found)
                    .as("the oldest are deleted")
                    .extracting(MetricPoints::name)
                    .doesNotContain("early");
            assertThat(found.stream().mapToInt(one -> one.points().size()).sum())
                    .isBetween(MetricTables.MAX_UNKNOWN / 4, MetricTables.MAX_UNKNOWN);
            assertThat(store.jobs(JobQuery.newest(10)).total()).as("jobs").isEqualTo(1);
            assertThat(store.metrics("a", 1).orElseThrow()).hasSize(MetricValues.MAX_NAMES);
        }
    }
}
