package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// A device in a job or a setting: `auto`, `cpu`, `reference`, `cuda` or `cuda:N`. Only `auto` allows a choice.
public record DeviceSpec(@JsonValue String name) {
    public static final DeviceSpec AUTO = new DeviceSpec("auto");

    public static final int MAX_DEVICES = 16;

    private static final String CUDA = "cuda";
    private static final String NUMBERED_CUDA = "cuda:(0|[1-9][0-9]{0,2})"; // one name for each GPU

    /// Regular expression of the names.
    static final String FORM = "auto|cpu|reference|" + CUDA + "|" + NUMBERED_CUDA;

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public DeviceSpec {
        Check.matching("device", name, FORM, "auto, cpu, reference, cuda, or cuda:N with the GPU's number N");
    }

    public boolean isAuto() {
        return name.equals("auto");
    }

    /// Checks the devices of one job: several of one kind, and no GPU twice. All are on one machine. A GPU needs
    /// a number; the CPU may be repeated, once for each shard.
    static List<DeviceSpec> several(String field, List<DeviceSpec> devices) {
        Check.complete(field, devices);
        if (devices.size() < 2 || devices.size() > MAX_DEVICES) {
            throw new InvalidJobException("%s has %d entries; allowed is 2 to %d, and a single one is named with device"
                    .formatted(field, devices.size(), MAX_DEVICES));
        }
        Set<DeviceSpec> seen = new HashSet<>();
        for (int i = 0; i < devices.size(); i++) {
            DeviceSpec device = devices.get(i);
            String entry = "%s[%d]".formatted(field, i);
            Check.matching(entry, device.name(), "cpu|" + NUMBERED_CUDA, "cpu, or cuda:N with the GPU's number N");
            if (!device.kind().equals(devices.getFirst().kind())) {
                throw new InvalidJobException("%s is \"%s\" next to \"%s\"; allowed is one kind of device for a job"
                        .formatted(entry, device.name(), devices.getFirst().name()));
            }
            if (!seen.add(device) && device.kind().equals(CUDA)) {
                throw new InvalidJobException(
                        "%s is \"%s\" again; allowed is each GPU once".formatted(entry, device.name()));
            }
        }
        return List.copyOf(devices);
    }

    /// Whether it is a numbered device, such as `cuda:1`.
    public boolean isNumbered() {
        return name.indexOf(':') >= 0;
    }

    /// The part before the colon, which selects the backend.
    public String kind() {
        return kindOf(name);
    }

    /// The kind of a worker's or attempt's devices: `cuda:0+cuda:1` is `cuda`.
    public static String kindOf(String devices) {
        return devices.split("[:+]", 2)[0];
    }
}
