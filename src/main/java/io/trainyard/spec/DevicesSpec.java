package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What a job runs on together, a part of each batch on each: devices of one worker, or several workers.
///
/// @param named the devices; empty: workers are counted
/// @param workers how many train it, each on its device; 1 where devices are named
public record DevicesSpec(List<DeviceSpec> named, int workers) {
    /// The most workers that one job may have.
    public static final int MAX_WORKERS = 16;

    private static final String FIELD = "devices";
    private static final String WORKERS = "workers";

    public DevicesSpec {
        if (named.isEmpty()) {
            Check.between(FIELD + "." + WORKERS, workers, 2, MAX_WORKERS);
        } else {
            named = DeviceSpec.several(FIELD, named);
            Check.between(FIELD + "." + WORKERS, workers, 1, 1);
        }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static DevicesSpec read(JsonNode json) {
        if (json.isArray()) {
            return new DevicesSpec(DeviceSpec.several(FIELD, names(json)), 1);
        }
        if (!json.isObject() || json.size() != 1 || !json.path(WORKERS).isInt()) {
            throw new InvalidJobException(
                    "devices is %s; it must be a list of devices in brackets, such as [\"cpu\", \"cpu\"], or how many workers train the job together, such as {\"workers\": 2}"
                            .formatted(Check.shortened(json.toString())));
        }
        return new DevicesSpec(List.of(), json.get(WORKERS).intValue());
    }

    private static List<DeviceSpec> names(JsonNode list) {
        List<DeviceSpec> names = new ArrayList<>();
        for (JsonNode name : list) {
            if (name.isNull()) {
                throw new InvalidJobException("devices has an entry that is null; give each a value");
            }
            if (!name.isTextual()) {
                throw new InvalidJobException("devices[%d] is %s; it must be a device's name, such as \"cpu\""
                        .formatted(names.size(), Check.shortened(name.toString())));
            }
            try {
                names.add(new DeviceSpec(name.textValue()));
            } catch (InvalidJobException e) {
                throw new InvalidJobException("devices[%d]: %s".formatted(names.size(), e.getMessage()), e);
            }
        }
        return names;
    }

    /// How many devices that is.
    int count() {
        return Math.max(workers, named.size());
    }

    @JsonValue
    Object json() {
        return named.isEmpty() ? Map.of(WORKERS, workers) : named;
    }
}
