package io.trainyard.device;

import java.util.Map;
import java.util.TreeMap;

/// Algorithms that sessions selected by timing, if the last bits of the results depend on them. They are stored
/// with the job, so that another worker with the same kind of device computes the same bits.
///
/// @param byKind by the kind of device with its library versions, then by operation
public record DeviceChoices(Map<String, Map<String, String>> byKind) {
    public static final DeviceChoices NONE = new DeviceChoices(Map.of());

    public DeviceChoices {
        Map<String, Map<String, String>> copy = new TreeMap<>();
        byKind.forEach((kind, choices) -> {
            if (!choices.isEmpty()) {
                copy.put(kind, Map.copyOf(choices));
            }
        });
        byKind = Map.copyOf(copy);
    }

    public boolean isEmpty() {
        return byKind.isEmpty();
    }

    public Map<String, String> of(String kind) {
        return byKind.getOrDefault(kind, Map.of());
    }

    /// The union of both; `other` takes precedence.
    public DeviceChoices with(DeviceChoices other) {
        Map<String, Map<String, String>> all = new TreeMap<>(byKind);
        other.byKind.forEach((kind, choices) -> {
            Map<String, String> ofKind = new TreeMap<>(of(kind));
            ofKind.putAll(choices);
            all.put(kind, ofKind);
        });
        return new DeviceChoices(all);
    }
}
