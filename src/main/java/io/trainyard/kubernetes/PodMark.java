package io.trainyard.kubernetes;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The mark of a worker's pod, for autoscalers and drains.
public enum PodMark {
    /// Its worker has had its job for a minute, or longer.
    BUSY("200", true),
    /// Its worker has had its job for less than that, or had one a moment ago.
    NEWLY_BUSY("100", true),
    /// Its worker waits for one.
    IDLE("0", false),
    /// Its worker claims no jobs, and says why: of all pods it is missed least.
    REFUSING("-100", false);

    /// Of a ReplicaSet's pods that are there and ready, those of the least cost go first; one without it costs 0.
    /// <https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#pod-deletion-cost>
    public static final String DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

    /// Karpenter takes no node away of its own accord that has such a pod.
    /// <https://karpenter.sh/docs/concepts/disruption/#pod-level-controls>
    public static final String DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt";

    /// The same of the cluster autoscaler, which without it would not move an idle worker either: it has an
    /// `emptyDir`. <https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md>
    public static final String SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict";

    private final String cost;
    private final boolean busy;

    PodMark(String cost, boolean busy) {
        this.cost = cost;
        this.busy = busy;
    }

    /// By name; null: it must not be there.
    public Map<String, @Nullable String> annotations() {
        Map<String, @Nullable String> annotations = new TreeMap<>();
        annotations.put(DELETION_COST, cost);
        annotations.put(DO_NOT_DISRUPT, busy ? "true" : null);
        annotations.put(SAFE_TO_EVICT, Boolean.toString(!busy));
        return annotations;
    }

    /// As a JSON merge patch of a pod, which leaves all else as it is (RFC 7396).
    String patch() {
        return annotations().entrySet().stream()
                .map(one -> one.getValue() == null
                        ? "\"%s\":null".formatted(one.getKey())
                        : "\"%s\":\"%s\"".formatted(one.getKey(), one.getValue()))
                .collect(Collectors.joining(",", "{\"metadata\":{\"annotations\":{", "}}}"));
    }
}
