import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/// The number of workers that an autoscaler requests: Kubernetes' HorizontalPodAutoscaler as KEDA configures it, for a
/// metric with a target of one per worker.
///
/// @param metric its input
/// @param cooldown the stabilization window: it requests the largest number within it
/// @param least minimum of workers; 0: it scales to zero
/// @param most maximum of workers
public record Policy(Metric metric, Duration cooldown, int least, int most) {
    /// Its interval: the default of the controller manager.
    static final long PERIOD_MILLIS = 15_000;

    /// A ratio of demand to workers this close to 1 has no effect (`--horizontal-pod-autoscaler-tolerance`).
    private static final double TOLERANCE = 0.1;

    /// Default growth in one period: doubled, or this number more.
    private static final int GROWTH = 4;

    /// The input of the autoscaler.
    public enum Metric {
        /// None: always the maximum of workers.
        FIXED,
        /// Queued jobs.
        QUEUED,
        /// Queued and running jobs.
        DEMAND
    }

    /// The state of one autoscaler.
    final class Memory {
        private record DesiredState(long atMillis, int workers) {}

        private final Deque<DesiredState> controls = new ArrayDeque<>();

        /// The requested number now.
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
