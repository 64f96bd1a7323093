package io.trainyard.worker;

import io.trainyard.kubernetes.PodMark;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A pod of a simulated cluster: it waits for a node, then runs a worker until the worker ends.
final class SimPod {
    /// The order in which Kubernetes' controller deletes surplus pods (`ActivePodsWithRanks`): not running
    /// first, then not ready, then the lowest deletion cost, then the shortest time ready. Each pod has its own
    /// node.
    static final Comparator<SimPod> VICTIMS_FIRST = Comparator.comparing(SimPod::isRunning)
            .thenComparing(SimPod::isReady)
            .thenComparingInt(SimPod::deletionCost)
            .thenComparing(Comparator.comparingLong(SimPod::sinceNanos).reversed());

    private final String name;
    private final Map<String, String> annotations = new TreeMap<>();
    private final long madeNanos;
    private @Nullable SimWorker worker;
    private long readyNanos;
    private boolean terminating;

    SimPod(String name, long madeNanos) {
        this.name = name;
        this.madeNanos = madeNanos;
    }

    String name() {
        return name;
    }

    void run(SimWorker begun) {
        worker = begun;
        begun.start();
    }

    void ready(long nanos) {
        readyNanos = nanos;
    }

    private boolean isRunning() {
        return worker != null;
    }

    boolean isReady() {
        return readyNanos > 0;
    }

    private long sinceNanos() {
        return isReady() ? readyNanos : madeNanos;
    }

    boolean isTerminating() {
        return terminating;
    }

    /// Sends SIGTERM if the worker runs.
    void terminate() {
        terminating = true;
        if (worker != null) {
            worker.stop();
        }
    }

    void annotate(PodMark mark) {
        mark.annotations().forEach((annotation, value) -> {
            if (value == null) {
                annotations.remove(annotation);
            } else {
                annotations.put(annotation, value);
            }
        });
    }

    private int deletionCost() {
        return Integer.parseInt(annotations.getOrDefault(PodMark.DELETION_COST, "0"));
    }
}
