package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// A device as a job or an operator names it: `auto`, `cpu`, `reference`, `cuda` or `cuda:N`. Only `auto` chooses.
public record DeviceSpec(@JsonValue String name) {
    public static final DeviceSpec AUTO = new DeviceSpec("auto");

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public DeviceSpec {
        Check.matching(
                "device",
                name,
                "auto|cpu|reference|cuda(:[0-9]{1,3})?",
                "auto, cpu, reference, cuda, or cuda:N with the GPU's number N");
    }

    public boolean isAuto() {
        return name.equals("auto");
    }

    /// The part before the colon: which backend.
    public String kind() {
        int colon = name.indexOf(':');
        return colon < 0 ? name : name.substring(0, colon);
    }
}
