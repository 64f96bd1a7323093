package io.trainyard.device.reference;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceBackend;
import io.trainyard.device.DeviceInfo;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;
import java.util.List;
import java.util.Optional;

/// The device `reference`: available on every machine, but only chosen by name.
public final class ReferenceBackend implements DeviceBackend {
    private static final String KIND = "reference";

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public Optional<String> whyUnavailable() {
        return Optional.empty();
    }

    @Override
    public List<DeviceInfo> devices() {
        return List.of(info());
    }

    @Override
    public String computes(Network network, Precision precision, int batchSize) {
        return "plain loops in Java, 1 thread";
    }

    @Override
    public Device open(DeviceSpec spec) {
        return new ReferenceDevice(info());
    }

    private static DeviceInfo info() {
        return new DeviceInfo(
                KIND,
                "plain Java",
                "plain Java, one thread: slow, for checking",
                Runtime.getRuntime().maxMemory());
    }
}
