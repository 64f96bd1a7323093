package io.trainyard.tracking;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Requested;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Slow
class SubmittersTest {
    private static final long NOW = 1_700_000_000_000L;

    @ParameterizedTest
    @EnumSource
    void waitingJobsAreCountedPerUser(Databases kind) {
        try (TrackingStore store = TrackingStore.open(kind.empty())) {
            Submitters submitters = store.submitters();
            submitters.add(List.of("a", "b", "c"), new Submitter("alice", "Al"), NOW);
            submitters.add(List.of("d"), new Submitter("bert", "Al"), NOW);
            assertThat(submitters.waiting("alice", NOW)).as("on their way").isEqualTo(3);
            assertThat(submitters.waiting("alice", NOW + 1)).as("lost on it").isZero();
            store.take(
                    List.of(
                            new Requested("a", spec("a"), "place", NOW),
                            new Requested("b", spec("b"), "place", NOW),
                            new Requested("c", spec("c"), "place", NOW),
                            new EventRecord(claimed("b"), NOW),
                            new EventRecord(finished("c", 1, 10), NOW)),
                    Map.of());
            assertThat(submitters.waiting("alice", NOW + 1)).isEqualTo(1);
            assertThat(submitters.waiting("bert", NOW)).isEqualTo(1);
            assertThat(submitters.of("a")).hasValue("Al");
            assertThat(submitters.of("x")).isEmpty();
            submitters.add(List.of("a"), new Submitter("bert", "B"), NOW + 1);
            assertThat(submitters.waiting("alice", NOW + 1)).isZero();
            assertThat(submitters.of("a")).hasValue("B");
            assertThat(store.forget(NOW + 1, 0, 10)).containsExactly("c");
            assertThat(submitters.of("c")).isEmpty();
        }
    }
}
