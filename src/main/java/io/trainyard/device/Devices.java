package io.trainyard.device;

import io.trainyard.spec.DeviceSpec;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/// The choice of a device by name. Nothing falls back silently: only `auto` chooses.
public final class Devices {
    private Devices() {}

    /// All backends of this build, the one `auto` prefers first.
    public static List<DeviceBackend> backends() {
        return ServiceLoader.load(DeviceBackend.class).stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparingInt(DeviceBackend::rank).reversed())
                .toList();
    }

    /// @throws DeviceException if there is no such device here; says why and what there is
    public static Device open(DeviceSpec spec) {
        DeviceBackend backend = spec.isAuto() ? best() : backendOf(spec);
        return backend.open(spec);
    }

    private static DeviceBackend best() {
        return backends().stream()
                .filter(backend ->
                        backend.rank() > 0 && backend.whyUnavailable().isEmpty())
                .findFirst()
                .orElseThrow(() -> new DeviceException("no device is available here: "
                        + backends().stream()
                                .map(b -> b.kind() + ": " + b.whyUnavailable().orElse("only when asked for by name"))
                                .collect(Collectors.joining("; "))));
    }

    private static DeviceBackend backendOf(DeviceSpec spec) {
        return backends().stream()
                .filter(backend -> backend.kind().equals(spec.kind()))
                .findFirst()
                .orElseThrow(() -> new DeviceException("this build has no device \"%s\"; it has %s"
                        .formatted(
                                spec.name(),
                                backends().stream().map(DeviceBackend::kind).collect(Collectors.joining(", ")))));
    }
}
