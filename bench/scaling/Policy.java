import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/// How many workers an autoscaler wants: Kubernetes' HorizontalPodAutoscaler, as KEDA makes one, for a metric whose
/// target is one a worker.
///
/// @param metric what it looks at
/// @param cooldown the stabilization window: it wants as many as it wanted at most within it
/// @param least workers that are always there; 0: it scales to zero
/// @param most workers that there may be
public record Policy(Metric metric, Duration cooldown, int least, int most) {
    /// How often it looks, as the controller manager does unless told otherwise.
    static final long PERIOD_MILLIS = 15_000;

    /// A ratio of demand to workers within it of 1 changes nothing (`--horizontal-pod-autoscaler-tolerance`).
    private static final double TOLERANCE = 0.1;

    /// Growth in one period, by default: doubled, or so many more.
    private static final int GROWTH = 4;

    /// What is looked at.
    public enum Metric {
        /// Nothing: there are as many as there may be.
        FIXED,
        /// Commands that wait.
        QUEUED,
        /// Commands that wait and jobs that run.
        DEMAND
    }

    /// What one autoscaler remembers.
    final class Memory {
        private record DesiredState(long atMillis, int workers) {}

        private final Deque<DesiredState> controls = new ArrayDeque<>();

        /// How many it wants now.
        int wants(long nowMillis, int workers, int queued, int running) {
            if (metric == Metric.FIXED) {
                return most;
            }
            int value = metric == Metric.QUEUED ? queued : queued + running;
            boolean near = workers > 0 && Math.abs(1 - (double) value / workers) <= TOLERANCE;
            int desiredState = Math.clamp(near ? workers : value, least, most);
            controls.addLast(new DesiredState(nowMillis, desiredState));
            while (controls.getFirst().atMillis() < nowMillis - cooldown.toMillis()) {
                controls.removeFirst();
            }
            int stable = controls.stream().mapToInt(DesiredState::workers).max().orElse(desiredState);
            int growth = Math.max(2 * workers, workers + GROWTH);
            return desiredState > workers ? Math.min(desiredState, growth) : Math.min(workers, stable);
        }
    }
}
