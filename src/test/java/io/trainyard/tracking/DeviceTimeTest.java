package io.trainyard.tracking;

import static io.trainyard.event.SampleEvents.cancelled;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.paused;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.resumed;
import static io.trainyard.event.SampleEvents.started;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.event.DeviceUse;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.tracking.UsageQuery.By;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The working time of devices, as the store sums it.
@Slow
final class DeviceTimeTest {
    private static final LocalDate FRIDAY = LocalDate.parse("2026-11-20");
    private static final LocalDate SATURDAY = FRIDAY.plusDays(1);
    private static final long MINUTE = 60_000;
    private static final long HOUR = 60 * MINUTE;

    /// One job over midnight UTC, and one on two devices that still runs.
    private static final List<JobRecord> TWO_JOBS = List.of(
            on(FRIDAY, "22:00", "w1", claimed("a")),
            on(FRIDAY, "22:01", "w1", started("a", 1, 1)),
            at("01:30", "w1", finished("a", 1, 20)),
            at("10:00", "w2", new Claimed("b", 1, "w2", "cuda:0+cuda:1")),
            at("10:30", "w2", losses("b", 1, 0, 1, 10)));

    /// A worker's event on a Saturday.
    private static EventRecord at(String time, String worker, TrainingEvent event) {
        return on(SATURDAY, time, worker, event);
    }

    private static EventRecord on(LocalDate day, String time, String worker, TrainingEvent event) {
        long millis = Instant.parse("%sT%s:00Z".formatted(day, time)).toEpochMilli();
        return new EventRecord(event, millis, worker, millis);
    }

    private static SortedMap<String, DeviceTime> usage(TrackingStore store, By by) {
        return store.usage(new UsageQuery(FRIDAY.minusDays(3), FRIDAY.plusDays(3), by));
    }

    private static DeviceTime used(long millis, long jobs, long attempts) {
        return new DeviceTime(millis, 0, 0, jobs, attempts);
    }

    @ParameterizedTest
    @EnumSource
    void usageIsSplitAtMidnightAndCountsEachDevice(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            store.take(TWO_JOBS, Map.of());
            DeviceTime ofA = used(3 * HOUR + 30 * MINUTE, 1, 1);
            DeviceTime ofB = used(HOUR, 1, 1);
            assertThat(usage(store, By.DAY))
                    .containsExactly(
                            Map.entry("2026-11-20", used(2 * HOUR, 1, 1)),
                            Map.entry("2026-11-21", used(2 * HOUR + 30 * MINUTE, 1, 1)));
            assertThat(store.usage(new UsageQuery(SATURDAY, SATURDAY, By.DEVICE)))
                    .containsExactly(Map.entry("cpu", used(HOUR + 30 * MINUTE, 0, 0)), Map.entry("cuda", ofB));
            assertThat(usage(store, By.WORKER)).containsExactly(Map.entry("w1", ofA), Map.entry("w2", ofB));
            assertThat(usage(store, By.DATASET)).containsExactly(Map.entry("", ofB), Map.entry("shapes32", ofA));
            assertThat(usage(store, By.NETWORK)).containsExactly(Map.entry("", ofB), Map.entry("lenet", ofA));
            assertThat(usage(store, By.STATE)).containsExactly(Map.entry("finished", ofA), Map.entry("running", ofB));
            assertThat(store.usage(new UsageQuery(SATURDAY.plusDays(1), SATURDAY.plusDays(9), By.DAY)))
                    .isEmpty();

            store.take(List.of(at("11:00", "w2", losses("b", 1, 0, 11, 10))), Map.of());
            assertThat(usage(store, By.STATE)).containsEntry("running", used(2 * HOUR, 1, 1));
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAttemptEndsWithItsEndEventOrItsLastRecord(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            store.take(
                    List.of(
                            at("00:00", "w1", claimed("a", 1)), // lost
                            at("01:00", "w1", losses("a", 1, 0, 1, 10)),
                            at("01:10", "w2", claimed("a", 2)),
                            at("02:00", "w2", released("a", 2, 10, "it stops")),
                            at("03:00", "w3", claimed("a", 3)),
                            at("03:30", "w3", paused("a", 3, 10)),
                            at("09:00", "w9", resumed("a", 3)),
                            at("09:30", "w9", paused("a", 3, 10)),
                            at("09:40", "w9", resumed("a", 3)),
                            at("10:00", "w4", claimed("a", 4)),
                            at("10:15", "w4", failed("a", 4, "why")),
                            at("00:00", "w1", claimed("b", 1)), // lost, and cancelled much later by another worker
                            at("00:30", "w1", losses("b", 1, 0, 1, 10)),
                            at("08:00", "w9", cancelled("b", 1, 10))),
                    Map.of());
            long ofA = HOUR + 50 * MINUTE + 30 * MINUTE + 15 * MINUTE;
            assertThat(usage(store, By.STATE))
                    .containsExactly(
                            Map.entry("cancelled", new DeviceTime(30 * MINUTE, 0, 30 * MINUTE, 1, 1)),
                            Map.entry("failed", new DeviceTime(ofA, ofA, HOUR, 1, 4)));
            assertThat(usage(store, By.WORKER).get("w4"))
                    .as("the job began elsewhere")
                    .isEqualTo(new DeviceTime(15 * MINUTE, 15 * MINUTE, 0, 0, 1));
        }
    }

    @ParameterizedTest
    @EnumSource
    void staysWhenJobsAreForgottenButForTheWorkers(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            store.take(TWO_JOBS, Map.of());
            store.take(
                    List.of(
                            at("12:00", "w2", claimed("c", 1, "w2")),
                            at("13:00", "w2", started("c", 1, 1)),
                            at("14:00", "w3", claimed("c", 2, "w3")),
                            at("15:00", "w3", finished("c", 2, 20))),
                    Map.of());
            Map<By, Map<String, DeviceTime>> before = Map.of(
                    By.DAY, usage(store, By.DAY),
                    By.DEVICE, usage(store, By.DEVICE),
                    By.DATASET, usage(store, By.DATASET),
                    By.NETWORK, usage(store, By.NETWORK),
                    By.STATE, usage(store, By.STATE));
            assertThat(before.get(By.STATE))
                    .containsEntry("finished", new DeviceTime(5 * HOUR + 30 * MINUTE, 0, HOUR, 2, 3));

            assertThat(store.forget(Long.MIN_VALUE, 1, 10)).containsExactly("a");
            assertThat(store.forget(Long.MIN_VALUE, 0, 10)).containsExactly("c");
            before.forEach(
                    (by, usage) -> assertThat(usage(store, by)).as("by %s", by).isEqualTo(usage));
            assertThat(usage(store, By.WORKER))
                    .containsOnlyKeys("", "w2")
                    .containsEntry("", new DeviceTime(5 * HOUR + 30 * MINUTE, 0, HOUR, 2, 3));
        }
    }

    @ParameterizedTest
    @EnumSource
    void countsNoJobThatWasTrainedElsewhere(Databases kind) {
        String url = kind.empty();
        for (int opened = 0; opened < 2; opened++) {
            try (TrackingStore store = TrackingStore.open(url)) {
                store.add("a", TWO_JOBS.subList(0, 3));
                assertThat(usage(store, By.DAY)).isEmpty();
            }
        }
    }

    /// Anyone can write to a topic with any timestamp.
    @ParameterizedTest
    @EnumSource
    void aClockThatIsWrongIsAYearAtMost(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            String odd = "+".repeat(100_000);
            store.take(
                    List.of(
                            new EventRecord(new Claimed("a", 1, "w", "x".repeat(100_000)), 0, "w", 0),
                            at("00:00", "w", finished("a", 1, 20)),
                            new EventRecord(new Claimed("never", 1, "w", "cpu"), Long.MAX_VALUE, "w", 0),
                            at("00:00", "w", new Claimed("b", 1, "w", odd)),
                            at("01:00", "w", finished("b", 1, 20))),
                    Map.of());
            assertThat(store.usage(new UsageQuery(LocalDate.EPOCH, SATURDAY, By.DEVICE)))
                    .containsExactly(
                            Map.entry("", used(16 * HOUR, 1, 1)),
                            Map.entry("x".repeat(40), used(366 * 24 * HOUR, 1, 1)));
            assertThat(store.forget(Long.MIN_VALUE, 0, 10)).hasSize(2);
            assertThat(store.usage(new UsageQuery(LocalDate.EPOCH, SATURDAY, By.DAY)))
                    .hasSize(367)
                    .containsEntry("2026-11-21", used(16 * HOUR, 1, 1));
        }
    }

    /// Derived from the state of a job.
    static DeviceTime sum(JobState state) {
        List<DeviceUse> uses = state.deviceUses();
        long all = 0;
        long lost = 0;
        for (DeviceUse use : uses) {
            long millis = use.endMillis() - use.startMillis();
            all += millis;
            lost += use.lost() ? millis : 0;
        }
        return new DeviceTime(all, state.status() == Status.FAILED ? all : 0, lost, 1, uses.size());
    }
}
