package io.trainyard.device;

import io.trainyard.spec.DeviceSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/// Selects devices by name. There is no silent fallback: only `auto` allows a choice.
public final class Devices {
    private static final Map<DeviceSpec, CompletableFuture<Void>> WARM_UPS = new ConcurrentHashMap<>();

    private Devices() {}

    /// Warms up a device in the background. Later calls have the result of the first, unless it failed.
    public static CompletableFuture<Void> beginWarmUp(DeviceSpec spec) {
        return WARM_UPS.computeIfAbsent(
                spec,
                _ -> CompletableFuture.runAsync(
                        () -> {
                            try {
                                backend(spec).warmUp();
                            } catch (RuntimeException | Error e) {
                                WARM_UPS.remove(spec);
                                throw e;
                            }
                        },
                        task -> Thread.ofPlatform().name("warm-up").daemon().start(task)));
    }

    /// All backends of this build, in the order in which `auto` prefers them.
    public static List<DeviceBackend> backends() {
        return ServiceLoader.load(DeviceBackend.class).stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparingInt(DeviceBackend::rank).reversed())
                .toList();
    }

    /// @throws DeviceException if the device does not exist; the message has the reason and the available devices
    public static Device open(DeviceSpec spec) {
        return open(spec, backends());
    }

    static Device open(DeviceSpec spec, List<DeviceBackend> backends) {
        String kind = spec.isAuto() ? choice(backends).kind() : spec.kind();
        DeviceBackend backend = backendOf(kind, backends);
        if (spec.isNumbered() && backend.whyUnavailable().isEmpty()) {
            requireAmong(backend.devices(), spec);
        }
        return backend.open(spec);
    }

    private static void requireAmong(List<DeviceInfo> devices, DeviceSpec spec) {
        if (devices.stream().noneMatch(device -> device.name().equals(spec.name()))) {
            throw new DeviceException(
                    "no device \"%s\" here; there is %s: name one of these, or %s for any that the worker has"
                            .formatted(
                                    spec.name(),
                                    devices.stream().map(DeviceInfo::name).collect(Collectors.joining(", ")),
                                    spec.kind()));
        }
    }

    /// The kind that `auto` selects here, and the reason. Probes backends in order of preference until one is
    /// available.
    ///
    /// @throws DeviceException if none is available; the message has all reasons
    public static DeviceChoice choice() {
        return choice(backends());
    }

    /// The kinds of device of a worker: that of a configured device, or, with `auto`, all available kinds that
    /// `auto` may select.
    public static Set<String> kinds(DeviceSpec own) {
        return own.isAuto() ? availableKinds(backends()) : Set.of(own.kind());
    }

    static Set<String> availableKinds(List<DeviceBackend> backends) {
        return backends.stream()
                .filter(backend ->
                        backend.rank() > 0 && backend.whyUnavailable().isEmpty())
                .map(DeviceBackend::kind)
                .collect(Collectors.toUnmodifiableSet());
    }

    static DeviceChoice choice(List<DeviceBackend> backends) {
        List<String> unavailable = new ArrayList<>();
        for (DeviceBackend backend : backends) {
            if (backend.rank() == 0) {
                unavailable.add(backend.kind() + " is used only if named");
                continue;
            }
            Optional<String> reason = backend.whyUnavailable();
            if (reason.isEmpty()) {
                return new DeviceChoice(
                        backend.kind(),
                        unavailable.isEmpty()
                                ? "auto prefers it, and it is available"
                                : String.join("; ", unavailable));
            }
            unavailable.add("%s is not available: %s".formatted(backend.kind(), reason.get()));
        }
        throw new DeviceException("no device is available here: " + String.join("; ", unavailable));
    }

    /// The backend of an available device, or the one that `auto` selects.
    ///
    /// @throws DeviceException if there is none
    public static DeviceBackend backend(DeviceSpec spec) {
        List<DeviceBackend> backends = backends();
        return backendOf(spec.isAuto() ? choice(backends).kind() : spec.kind(), backends);
    }

    private static DeviceBackend backendOf(String kind, List<DeviceBackend> backends) {
        return backends.stream()
                .filter(backend -> backend.kind().equals(kind))
                .findFirst()
                .orElseThrow(() -> new DeviceException("this build has no device \"%s\"; it has %s"
                        .formatted(
                                kind, backends.stream().map(DeviceBackend::kind).collect(Collectors.joining(", ")))));
    }
}
