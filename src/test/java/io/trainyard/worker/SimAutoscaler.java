package io.trainyard.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// The number of workers of a simulated cluster: KEDA on top of Kubernetes' horizontal autoscaler, with the
/// settings of k8s/components/keda-push. KEDA decides between zero and one, the autoscaler from one on.
final class SimAutoscaler {
    /// The settings, by their Kubernetes names.
    static final Duration POLLING_INTERVAL = Duration.ofSeconds(15);

    static final Duration COOLDOWN_PERIOD = Duration.ofSeconds(300);
    static final Duration STABILIZATION_WINDOW = Duration.ofSeconds(120);
    static final int MAX_REPLICAS = 64;

    /// Scales down by at most half per minute, and up by eight or to five times the number per 15 seconds.
    private static final Duration DOWN_PERIOD = Duration.ofSeconds(60);

    private static final double DOWN_SHARE = 0.5;
    private static final Duration UP_PERIOD = Duration.ofSeconds(15);
    private static final int UP_PODS = 8;
    private static final int UP_FACTOR = 5;

    /// Settings of the autoscaler itself: how often it looks, and the tolerance within which it changes
    /// nothing.
    private static final Duration SYNC = Duration.ofSeconds(15);

    private static final double TOLERANCE = 0.1;

    private record Past(long nanos, int replicas) {}

    private final SimWorld world;
    private final Supplier<OptionalLong> demand;
    private final Runnable changed;
    private final Deque<Past> recommended = new ArrayDeque<>();
    private final Deque<Past> set = new ArrayDeque<>();
    private long activeNanos;
    private int replicas;

    /// @param demand as an external scaler reports it; empty while it is unavailable
    /// @param changed called when the desired number of workers changes
    SimAutoscaler(SimWorld world, Supplier<OptionalLong> demand, Runnable changed) {
        this.world = world;
        this.demand = demand;
        this.changed = changed;
    }

    void start() {
        every(POLLING_INTERVAL, this::poll);
        every(SYNC, this::sync);
    }

    private void every(Duration period, Runnable work) {
        work.run();
        SimTimer _ = world.after(period, () -> every(period, work));
    }

    int replicas() {
        return replicas;
    }

    /// A message on KEDA's stream. KEDA ignores inactivity there.
    void push(boolean active) {
        if (active) {
            activate();
        }
    }

    private void poll() {
        OptionalLong now = demand.get();
        if (now.isEmpty()) {
            return;
        }
        if (now.getAsLong() > 0) {
            activate();
        } else if (replicas > 0 && world.nanos() - activeNanos > COOLDOWN_PERIOD.toNanos()) {
            scale(0);
        }
    }

    private void activate() {
        activeNanos = world.nanos();
        if (replicas == 0) {
            scale(1);
        }
    }

    private void sync() {
        OptionalLong now = demand.get();
        if (replicas == 0 || now.isEmpty()) {
            return;
        }
        double ratio = now.getAsLong() / (double) replicas;
        int wanted = Math.abs(ratio - 1) <= TOLERANCE ? replicas : (int) now.getAsLong();
        wanted = Math.clamp(wanted, 1, MAX_REPLICAS);
        remember(recommended, wanted, STABILIZATION_WINDOW);
        int highest = recommended.stream().mapToInt(Past::replicas).max().orElseThrow();
        if (wanted > replicas) {
            int before = inPast(UP_PERIOD, Integer::min);
            scale(Math.min(wanted, Math.max(before + UP_PODS, before * UP_FACTOR)));
        } else if (highest < replicas) {
            int before = inPast(DOWN_PERIOD, Integer::max);
            scale(Math.max(highest, (int) (before * DOWN_SHARE)));
        }
    }

    private interface Choice {
        int of(int one, int other);
    }

    /// The smallest or largest desired number within a past time.
    private int inPast(Duration time, Choice choice) {
        int found = replicas;
        for (Past past : set) {
            if (world.nanos() - past.nanos() < time.toNanos()) {
                found = choice.of(found, past.replicas());
            }
        }
        return found;
    }

    private void remember(Deque<Past> past, int value, Duration time) {
        past.add(new Past(world.nanos(), value));
        while (world.nanos() - past.getFirst().nanos() > time.toNanos()) {
            past.removeFirst();
        }
    }

    private void scale(int to) {
        if (to != replicas) {
            remember(set, replicas, DOWN_PERIOD);
            world.note("scale", "workers", to);
            replicas = to;
            changed.run();
        }
    }
}
