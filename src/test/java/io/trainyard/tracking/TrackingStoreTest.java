package io.trainyard.tracking;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.trainyard.Slow;
import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.event.Histories;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import io.trainyard.tracking.JobQuery.Sort;
import io.trainyard.tracking.UsageQuery.By;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TrackingStoreTest {
    private static final int SEEDS = 15;
    private static final long NOW = SampleEvents.TIME.toEpochMilli();
    private static final LocalDate TODAY = LocalDate.ofInstant(SampleEvents.TIME, ZoneOffset.UTC);
    private static final Partition JOBS = new Partition("jobs", 0);

    private static EventRecord published(TrainingEvent event) {
        return new EventRecord(event, NOW + 50, null, 0);
    }

    /// As the dashboard of release 0.1.0 left it.
    @ParameterizedTest
    @EnumSource
    void onlyOpenMigratesAStoreOfAnEarlierVersion(Databases kind) throws SQLException {
        String url = kind.empty();
        TrackingStore.open(url).close();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE metrics");
            statement.execute("DROP TABLE metric_points");
            statement.execute("DELETE FROM flyway_schema_history WHERE version = '2'");
        }
        assertThatThrownBy(() -> TrackingStore.openExisting(url))
                .isInstanceOf(TrackingException.class)
                .hasMessageEndingWith(
                        "has tables of an earlier version; start the dashboard of this version once, which migrates them");
        TrackingStore.open(url).close();
        TrackingStore.openExisting(url).close();
    }

    @Slow
    @ParameterizedTest
    @EnumSource
    void jobStatesSurviveReopeningTheStore(Databases kind) {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            String url = kind.empty();
            List<EventRecord> all = Histories.read(Histories.of(seed), random);
            JobState expected = new JobState(Histories.JOB);
            NavigableMap<Integer, NavigableMap<Long, Float>> curves = new TreeMap<>();
            TrackingStore store = TrackingStore.open(url);
            try {
                for (int from = 0; from < all.size(); ) {
                    int to = Math.min(all.size(), from + 1 + random.nextInt(8));
                    store.take(List.copyOf(all.subList(from, to)), Map.of(JOBS, (long) to));
                    for (EventRecord jobRecord : all.subList(from, to)) {
                        expected.apply(jobRecord);
                        remember(jobRecord, curves);
                    }
                    from = to;
                    if (random.nextInt(4) == 0) {
                        store.close();
                        store = TrackingStore.open(url);
                        assertThat(store.offsets()).containsExactly(Map.entry(JOBS, (long) to));
                    }
                }
                assertThat(JobSummary.of(store.job(Histories.JOB).orElseThrow()))
                        .as("seed %d", seed)
                        .isEqualTo(JobSummary.of(expected));
                assertThat(store.jobs(JobQuery.newest(10)).jobs()).containsExactly(JobSummary.of(expected));
                assertCurve(store, expected, curves);
                assertThat(store.usage(new UsageQuery(TODAY, TODAY, By.DEVICE)))
                        .containsExactly(Map.entry("cpu", DeviceTimeTest.sum(expected)));
            } finally {
                store.close();
            }
        }
    }

    private static void remember(EventRecord jobRecord, NavigableMap<Integer, NavigableMap<Long, Float>> curves) {
        if (jobRecord.event() instanceof StepLosses published) {
            var curve = curves.computeIfAbsent(published.attempt(), _ -> new TreeMap<>());
            for (int i = 0; i < published.losses().length; i++) {
                curve.putIfAbsent(published.firstStep() + i, published.losses()[i]);
            }
        }
    }

    private static void assertCurve(
            TrackingStore store, JobState state, NavigableMap<Integer, NavigableMap<Long, Float>> curves) {
        NavigableMap<Long, Float> expected = new TreeMap<>();
        state.attemptsToSteps()
                .forEach((attempt, end) -> expected.putAll(
                        curves.getOrDefault(attempt, new TreeMap<>()).headMap(end)));
        Curve curve = store.losses(Histories.JOB, 1, Long.MAX_VALUE, 1000).orElseThrow();
        NavigableMap<Long, Float> found = new TreeMap<>();
        for (int i = 0; i < curve.buckets().size(); i++) {
            assertThat(curve.buckets().count(i)).isLessThan(2);
            if (curve.buckets().count(i) == 1) {
                found.put(curve.firstStep(i), curve.buckets().last(i));
            }
        }
        assertThat(found).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void theSecondOfTwoWritersIsRefusedAndContinuesAfterTheFirst(Databases kind) {
        String url = kind.empty();
        try (TrackingStore one = TrackingStore.open(url);
                TrackingStore other = TrackingStore.open(url)) {
            one.take(List.of(published(claimed("a"))), Map.of(JOBS, 1L));
            List<JobRecord> same = List.of(published(claimed("a")));
            assertThatThrownBy(() -> other.take(same, Map.of(JOBS, 1L)))
                    .isInstanceOf(TrackingException.class)
                    .hasMessageContaining("another process");
            assertThat(other.offsets()).containsExactly(Map.entry(JOBS, 1L));
            other.take(List.of(published(failed("a", 1, "why"))), Map.of(JOBS, 2L));
            assertThat(one.job("a").orElseThrow().reason()).isEqualTo("why");
        }
    }

    @ParameterizedTest
    @EnumSource
    void listsAreFilteredSortedAndPaged(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            assertThat(store.jobs(JobQuery.newest(10)).jobs()).isEmpty();
            store.take(
                    IntStream.range(0, 10)
                            .<JobRecord>mapToObj(
                                    i -> new Requested("job_" + i, SampleEvents.spec("job_" + i), "place", NOW + i))
                            .toList(),
                    Map.of(JOBS, 10L));
            store.take(
                    List.of(
                            published(claimed("job_3")),
                            published(losses("job_3", 1, 0, 1, 10)),
                            published(tested("job_3", 1, 0, 10, 0.25)),
                            published(claimed("job_7")),
                            published(tested("job_7", 1, 1, 20, 0.75)),
                            published(finished("job_7", 1, 20)),
                            new Rejected("job%8", null, "no", NOW + 100)),
                    Map.of(JOBS, 15L));
            assertThat(ids(store, new JobQuery(Set.of(), "", "", Sort.SUBMITTED, true, 3, 0)))
                    .containsExactly("job%8", "job_9", "job_8");
            assertThat(ids(store, new JobQuery(Set.of(), "", "", Sort.SUBMITTED, true, 3, 3)))
                    .containsExactly("job_7", "job_6", "job_5");
            assertThat(ids(store, new JobQuery(Set.of(), "B_", "", Sort.JOB, false, 2, 0)))
                    .containsExactly("job_0", "job_1");
            assertThat(ids(store, new JobQuery(Set.of(), "b%", "", Sort.JOB, false, 2, 0)))
                    .containsExactly("job%8");
            assertThat(ids(store, new JobQuery(Set.of(), "LeNet", "", Sort.LOSS, false, 2, 0)))
                    .containsExactly("job_3", "job_0");
            assertThat(ids(store, new JobQuery(Set.of(), "", "", Sort.TEST_LOSS, true, 3, 0)))
                    .containsExactly("job_3", "job_7", "job%8");
            assertThat(ids(store, new JobQuery(Set.of(Status.RUNNING, Status.FINISHED), "", "", Sort.JOB, false, 9, 0)))
                    .containsExactly("job_3", "job_7");
            assertThat(store.jobs(new JobQuery(Set.of(Status.QUEUED), "", "", Sort.SUBMITTED, true, 2, 0))
                            .total())
                    .isEqualTo(8);
        }
    }

    private static List<String> ids(TrackingStore store, JobQuery query) {
        return store.jobs(query).jobs().stream().map(JobSummary::job).toList();
    }

    /// Anyone can write to a topic.
    @ParameterizedTest
    @EnumSource
    void valuesThatNoDatabaseCanStoreCauseNoFailure(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            String odd = "a\0b\uD800c";
            store.take(
                    List.of(
                            published(claimed(odd, 1, odd)),
                            published(failed(odd, 1, odd)),
                            new Rejected("r", odd, odd, NOW),
                            published(losses("steps", 1, 0, Long.MAX_VALUE, 3)),
                            published(losses("steps", 1, 0, -5, 3)),
                            published(losses("steps", Integer.MAX_VALUE, 0, 1L << 50, 3))),
                    Map.of(JOBS, 6L));
            assertThat(store.job(odd).orElseThrow().status()).isEqualTo(Status.FAILED);
            assertThat(store.job("r").orElseThrow().status()).isEqualTo(Status.REJECTED);
            assertThat(store.losses("steps", 1, Long.MAX_VALUE, 10)).isPresent();
            assertThat(store.losses("nobody", 1, 2, 10)).isEmpty();
        }
    }

    /// As numpy computes it over all losses of a step: `mean(axis=0)`, `std(axis=0)`.
    @ParameterizedTest
    @EnumSource
    void theLossesOfAGroupAreThoseOfAllItsJobs(Databases kind) {
        int jobs = 7;
        int steps = 3000;
        Random random = new Random(5);
        float[][] all = new float[jobs][steps];
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            for (int job = 0; job < jobs; job++) {
                for (int i = 0; i < steps; i++) {
                    all[job][i] = random.nextFloat();
                }
                String id = "job-" + job;
                store.take(
                        List.of(
                                published(claimed(id)),
                                published(new StepLosses(id, 1, 0, 1, all[job], 1, 0.1)),
                                published(finished(id, 1, steps))),
                        Map.of(JOBS, job + 1L));
            }
            List<String> ids =
                    IntStream.range(0, jobs).mapToObj(job -> "job-" + job).toList();
            for (int points : new int[] {4, 40, 400, 10_000}) {
                Curve curve = store.losses(ids, 1, Long.MAX_VALUE, points);
                for (int i = 0; i < curve.buckets().size(); i++) {
                    int first = (int) curve.firstStep(i) - 1;
                    int end = (int) curve.lastStep(i);
                    double[] bucket = IntStream.range(0, jobs)
                            .boxed()
                            .flatMapToDouble(job -> IntStream.range(first, end).mapToDouble(step -> all[job][step]))
                            .toArray();
                    double mean = Arrays.stream(bucket).average().orElseThrow();
                    double deviation = Math.sqrt(Arrays.stream(bucket)
                            .map(loss -> (loss - mean) * (loss - mean))
                            .average()
                            .orElseThrow());
                    assertThat(curve.buckets().count(i)).isEqualTo(bucket.length);
                    assertThat(curve.buckets().mean(i)).isCloseTo(mean, within(1e-12));
                    assertThat(curve.buckets().deviation(i)).isCloseTo(deviation, within(1e-12));
                }
            }
            assertThat(store.losses(List.of("nobody"), 1, 100, 10).buckets().count(0))
                    .isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void forgetsJobsThatAreTooOldOrTooManyAndNoOthers(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            for (int job = 0; job < 10; job++) {
                String id = "job-" + job;
                store.take(
                        List.of(
                                new EventRecord(claimed(id), NOW, null, 0),
                                new EventRecord(losses(id, 1, 0, 1, 10), NOW, null, 0),
                                new EventRecord(finished(id, 1, 10), NOW + job, null, 0)),
                        Map.of(JOBS, job + 1L));
            }
            store.take(List.of(new EventRecord(claimed("runs"), NOW - 1000, null, 0)), Map.of(JOBS, 11L));
            store.remark("job-0", new Annotations(List.of("old"), "a note"));

            assertThat(store.forget(Long.MIN_VALUE, 10, 100)).isEmpty();
            assertThat(store.forget(Long.MIN_VALUE, 7, 2)).containsExactly("job-0", "job-1");
            assertThat(store.forget(Long.MIN_VALUE, 7, 100)).containsExactly("job-2");
            assertThat(store.forget(NOW + 5, 100, 100)).containsExactly("job-3", "job-4");
            assertThat(store.jobs(JobQuery.newest(100)).jobs())
                    .extracting(JobSummary::job)
                    .containsExactlyInAnyOrder("job-5", "job-6", "job-7", "job-8", "job-9", "runs");
            assertThat(store.job("job-0")).isEmpty();
            assertThat(store.losses("job-0", 1, 10, 10)).isEmpty();
            assertThat(store.remarks("job-0")).isEqualTo(Annotations.NONE);
            assertThat(store.offsets()).as("offsets").containsExactly(Map.entry(JOBS, 11L));
        }
    }

    @ParameterizedTest
    @EnumSource
    void reportsTransitionsOfJobs(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            List<JobRecord> jobRecords = List.of(
                    new Requested("a", SampleEvents.spec("a"), "t.commands.high-0 at offset 3", NOW),
                    published(claimed("a")),
                    published(claimed("a")),
                    published(losses("a", 1, 0, 1, 10)),
                    published(released("a", 1, 10, "it stops")),
                    published(claimed("a", 2)),
                    published(finished("a", 2, 10)),
                    published(finished("a", 2, 10)));
            assertThat(store.take(jobRecords, Map.of()).transitions())
                    .extracting(
                            Transition::before,
                            Transition::reasonBefore,
                            Transition::after,
                            Transition::attemptBefore,
                            Transition::isNewAttempt)
                    .containsExactly(
                            tuple(Status.QUEUED, null, Status.RUNNING, 0, true),
                            tuple(Status.RUNNING, null, Status.QUEUED, 1, false),
                            tuple(Status.QUEUED, "it stops", Status.RUNNING, 1, true),
                            tuple(Status.RUNNING, null, Status.FINISHED, 2, false));
        }
    }

    @ParameterizedTest
    @EnumSource
    void countsUnfinishedJobs(Databases kind) throws SQLException {
        String url = kind.empty();
        List<UnfinishedJobs> expected = List.of(
                new UnfinishedJobs(Status.QUEUED, "auto", "t.commands.high", 2),
                new UnfinishedJobs(Status.RUNNING, null, null, 1));
        try (TrackingStore store = TrackingStore.open(url)) {
            store.take(
                    List.of(
                            new Requested("a", SampleEvents.spec("a"), "t.commands.low-0 at offset 3", NOW),
                            new Requested("a", SampleEvents.spec("a"), "t.commands.high-0 at offset 12", NOW + 1),
                            new Requested("b", SampleEvents.spec("b"), "t.commands.high-0 at offset 7", NOW),
                            published(claimed("c")),
                            published(finished("d", 1, 10))),
                    Map.of());
            assertThat(store.underWay()).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    /// Ids that differ in case only, and some that contain SQL pattern characters.
    @ParameterizedTest
    @EnumSource
    void theJobsOfAGroupAreItsAlone(Databases kind) {
        String url = kind.empty();
        List<JobSpec> rates = Trials.of(sweep("r_1"));
        try (TrackingStore store = TrackingStore.open(url)) {
            List<JobRecord> asked =
                    new ArrayList<>(rates.stream().map(TrackingStoreTest::asked).toList());
            Stream.of("R_1", "r_10", "rX1", "r-1")
                    .map(other -> Trials.of(sweep(other)).getFirst())
                    .map(TrackingStoreTest::asked)
                    .forEach(asked::add);
            asked.add(asked(sweep("r_1")));
            asked.add(asked(SampleEvents.spec("alone")));
            store.take(asked, Map.of());
            assertGroup(store, rates);
            assertThat(Stored.commands(store, JobQuery.ofGroup("r_1", 100)))
                    .hasSize(4)
                    .containsKey(rates.getFirst().id());
            assertThat(ids(store, JobQuery.ofGroup("r_1", 2)))
                    .containsExactly(rates.get(0).id(), rates.get(1).id());
            assertThat(ids(store, JobQuery.ofGroup("r%", 100))).isEmpty();
        }
    }

    /// The sweep is listed with its trials, and no other group appears.
    private static void assertGroup(TrackingStore store, List<JobSpec> trials) {
        assertThat(ids(store, JobQuery.ofGroup("r_1", 100)))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(trials.stream().map(JobSpec::id), Stream.of("r_1"))
                                .toList());
    }

    private static JobSpec sweep(String id) {
        return JobJson.read("""
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 2, "sweep": {"seed": [1, 2, 3]}}""".formatted(id).getBytes(StandardCharsets.UTF_8));
    }

    private static JobRecord asked(JobSpec job) {
        return new Requested(job.id(), job, "commands.normal-0 at offset 1", NOW);
    }

    @ParameterizedTest
    @EnumSource
    void storesAnnotationsControlRequestsAndSubmitters(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            store.take(
                    List.of(
                            new Requested("a", SampleEvents.spec("a"), "here", NOW),
                            new Requested("b", SampleEvents.spec("b"), "here", NOW)),
                    Map.of());
            assertThat(store.remark("nobody", Annotations.NONE)).isFalse();
            assertThat(store.remark("a", new Annotations(List.of("z", "base", "z"), "why\0?")))
                    .isTrue();
            assertThat(store.remarks("a")).isEqualTo(new Annotations(List.of("base", "z"), "why\uFFFD?"));
            assertThat(store.jobs(new JobQuery(Set.of(), "", "base", Sort.JOB, false, 9, 0)))
                    .satisfies(page ->
                            assertThat(page.jobs()).extracting(JobSummary::job).containsExactly("a"))
                    .satisfies(page -> assertThat(page.tags()).containsExactly(Map.entry("a", List.of("base", "z"))));
            store.remark("a", Annotations.NONE);
            assertThat(store.remarks("a")).isEqualTo(Annotations.NONE);

            Control pause = new Control("a", DesiredState.PAUSE, null, SampleEvents.TIME);
            Control urgent =
                    new Control("a", DesiredState.RUN, RequestedPriority.HIGH, SampleEvents.TIME.plusMillis(1));
            store.keep(List.of(pause));
            assertThat(store.control("a")).contains(pause);
            store.keep(List.of(urgent));
            assertThat(store.control("a")).contains(urgent);
            assertThat(store.control("b")).isEmpty();
            assertThat(Stored.commands(store, JobQuery.newest(9)))
                    .containsOnlyKeys("a", "b")
                    .allSatisfy((job, command) -> assertThat(command).contains("\"id\":\"" + job + "\""));
        }
    }

    @ParameterizedTest
    @EnumSource
    void returnsLearningRatesOfSomeSteps(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            store.take(List.of(published(claimed("a"))), Map.of());
            store.take(
                    IntStream.range(0, 100)
                            .<JobRecord>mapToObj(i ->
                                    published(new StepLosses("a", 1, 0, 1 + i * 10L, new float[10], i, 0.1 / (i + 1))))
                            .toList(),
                    Map.of());
            List<RatePoint> rates = store.learningRates("a", 10);
            assertThat(rates).hasSizeBetween(8, 10).first().isEqualTo(new RatePoint(1, 0.1));
            assertThat(rates)
                    .allSatisfy(rate -> assertThat(rate.learningRate()).isEqualTo(0.1 / ((rate.step() - 1) / 10 + 1)));
            assertThat(store.learningRates("nobody", 10)).isEmpty();
        }
    }
}
