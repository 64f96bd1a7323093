package io.trainyard.tracking;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.event.Histories;
import io.trainyard.event.JobNews;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobNews.Rejected;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.tracking.JobQuery.Sort;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TrackingStoreTest {
    private static final int SEEDS = 15;
    private static final long NOW = SampleEvents.TIME.toEpochMilli();
    private static final Partition JOBS = new Partition("jobs", 0);

    private static Happened told(TrainingEvent event) {
        return new Happened(event, NOW + 50, null, 0);
    }

    @ParameterizedTest
    @EnumSource
    void whereAJobStandsIsTheFoldOfItsNewsHoweverOftenTheStoreIsOpenedAnew(Databases kind) {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            String url = kind.empty();
            List<Happened> all = Histories.read(Histories.of(seed), random);
            JobState expected = new JobState(Histories.JOB);
            NavigableMap<Integer, NavigableMap<Long, Float>> curves = new TreeMap<>();
            TrackingStore store = TrackingStore.open(url);
            try {
                for (int from = 0; from < all.size(); ) {
                    int to = Math.min(all.size(), from + 1 + random.nextInt(8));
                    store.take(List.copyOf(all.subList(from, to)), Map.of(JOBS, (long) to));
                    for (Happened news : all.subList(from, to)) {
                        expected.apply(news);
                        remember(news, curves);
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
            } finally {
                store.close();
            }
        }
    }

    private static void remember(Happened news, NavigableMap<Integer, NavigableMap<Long, Float>> curves) {
        if (news.event() instanceof StepLosses told) {
            var curve = curves.computeIfAbsent(told.attempt(), _ -> new TreeMap<>());
            for (int i = 0; i < told.losses().length; i++) {
                curve.putIfAbsent(told.firstStep() + i, told.losses()[i]);
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
    void ofTwoThatWriteOneIsRefusedAndGoesOnWhereTheOtherIs(Databases kind) {
        String url = kind.empty();
        try (TrackingStore one = TrackingStore.open(url);
                TrackingStore other = TrackingStore.open(url)) {
            one.take(List.of(told(claimed("a"))), Map.of(JOBS, 1L));
            List<JobNews> same = List.of(told(claimed("a")));
            assertThatThrownBy(() -> other.take(same, Map.of(JOBS, 1L)))
                    .isInstanceOf(TrackingException.class)
                    .hasMessageContaining("another process");
            assertThat(other.offsets()).containsExactly(Map.entry(JOBS, 1L));
            other.take(List.of(told(failed("a", 1, "why"))), Map.of(JOBS, 2L));
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
                            .<JobNews>mapToObj(
                                    i -> new Requested("job_" + i, SampleEvents.spec("job_" + i), "place", NOW + i))
                            .toList(),
                    Map.of(JOBS, 10L));
            store.take(
                    List.of(
                            told(claimed("job_3")),
                            told(losses("job_3", 1, 0, 1, 10)),
                            told(claimed("job_7")),
                            told(finished("job_7", 1, 20)),
                            new Rejected("job%8", null, "no", NOW + 100)),
                    Map.of(JOBS, 15L));
            assertThat(ids(store, new JobQuery(Set.of(), "", Sort.HEARD, true, 3, 0)))
                    .containsExactly("job%8", "job_9", "job_8");
            assertThat(ids(store, new JobQuery(Set.of(), "", Sort.HEARD, true, 3, 3)))
                    .containsExactly("job_7", "job_6", "job_5");
            assertThat(ids(store, new JobQuery(Set.of(), "B_", Sort.JOB, false, 2, 0)))
                    .containsExactly("job_0", "job_1");
            assertThat(ids(store, new JobQuery(Set.of(), "b%", Sort.JOB, false, 2, 0)))
                    .containsExactly("job%8");
            assertThat(ids(store, new JobQuery(Set.of(), "LeNet", Sort.LOSS, false, 2, 0)))
                    .containsExactly("job_3", "job_0");
            assertThat(ids(store, new JobQuery(Set.of(Status.RUNNING, Status.FINISHED), "", Sort.JOB, false, 9, 0)))
                    .containsExactly("job_3", "job_7");
            assertThat(store.jobs(new JobQuery(Set.of(Status.QUEUED), "", Sort.HEARD, true, 2, 0))
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
    void whatNoDatabaseCanHoldHarmsNothing(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            String odd = "a\0b\uD800c";
            store.take(
                    List.of(
                            told(claimed(odd, 1, odd)),
                            told(failed(odd, 1, odd)),
                            new Rejected("r", odd, odd, NOW),
                            told(losses("steps", 1, 0, Long.MAX_VALUE, 3)),
                            told(losses("steps", 1, 0, -5, 3)),
                            told(losses("steps", Integer.MAX_VALUE, 0, 1L << 50, 3))),
                    Map.of(JOBS, 6L));
            assertThat(store.job(odd).orElseThrow().status()).isEqualTo(Status.FAILED);
            assertThat(store.job("r").orElseThrow().status()).isEqualTo(Status.REJECTED);
            assertThat(store.losses("steps", 1, Long.MAX_VALUE, 10)).isPresent();
            assertThat(store.losses("nobody", 1, 2, 10)).isEmpty();
        }
    }
}
