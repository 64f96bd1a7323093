package io.trainyard.cli;

import io.trainyard.event.JobState;
import io.trainyard.spec.JobSpec;
import java.util.Comparator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The sort keys of jobs, the same as in the dashboard.
enum JobOrder {
    JOB(JobState::job),
    STATE(JobState::status),
    SUBMITTED(JobState::firstRecordMillis),
    START(JobState::start),
    DURATION(state -> state.startMillis() == 0 ? null : state.durationMillis()),
    DATASET(state -> of(state, spec -> spec.dataset().name())),
    NETWORK(state -> of(state, spec -> spec.network().label())),
    WORKER(JobState::worker),
    STEP(JobState::step),
    LOSS(state -> finite(state.loss())),
    TEST_LOSS(state -> finite(state.testLoss())),
    ACCURACY(JobState::testAccuracy);

    private final Function<JobState, @Nullable Comparable<?>> key;

    JobOrder(Function<JobState, @Nullable Comparable<?>> key) {
        this.key = key;
    }

    /// Jobs without a value come last in both directions.
    @SuppressWarnings("unchecked") // all keys of one constant are of one type
    Comparator<JobState> comparator(boolean descending) {
        Comparator<Comparable<Object>> values = descending ? Comparator.reverseOrder() : Comparator.naturalOrder();
        return Comparator.comparing(state -> (Comparable<Object>) key.apply(state), Comparator.nullsLast(values));
    }

    private static @Nullable String of(JobState state, Function<JobSpec, String> value) {
        JobSpec spec = state.spec();
        return spec == null ? null : value.apply(spec);
    }

    private static <T extends Number> @Nullable T finite(@Nullable T loss) {
        return loss == null || !Double.isFinite(loss.doubleValue()) ? null : loss;
    }
}
