package io.trainyard.device;

import java.util.Map;
import java.util.TreeMap;

/// What sessions chose by measuring, where the last bits of their numbers depend on it. A job keeps it, so that whoever
/// goes on with it on the same kind of device computes the same bits.
///
/// @param byKind by the kind of device with the versions of what computes there; of each by what was to be chosen
public record DeviceChoices(Map<String, Map<String, Integer>> byKind) {
    /// Nothing was.
    public static final DeviceChoices NONE = new DeviceChoices(Map.of());

    public DeviceChoices {
        Map<String, Map<String, Integer>> copy = new TreeMap<>();
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

    public Map<String, Integer> of(String kind) {
        return byKind.getOrDefault(kind, Map.of());
    }

    /// Both; where both have chosen, what the other has.
    public DeviceChoices with(DeviceChoices other) {
        Map<String, Map<String, Integer>> all = new TreeMap<>(byKind);
        other.byKind.forEach((kind, choices) -> {
            Map<String, Integer> ofKind = new TreeMap<>(of(kind));
            ofKind.putAll(choices);
            all.put(kind, ofKind);
        });
        return new DeviceChoices(all);
    }
}
