package io.trainyard.device.gang;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceReading;
import io.trainyard.device.LearningSession;
import io.trainyard.device.PartDevice;
import io.trainyard.device.Workload;
import io.trainyard.spec.Precision;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/// This process's device and as many like it in other processes, which come when a session is opened.
///
/// @param count of all
/// @param gather waits for the others
public record GangDevice(PartDevice own, int count, Supplier<Links> gather) implements Device {
    /// @param device this process's
    /// @throws DeviceException if it cannot compute a part of a batch
    public static GangDevice of(Device device, int count, Supplier<Links> gather) {
        if (device instanceof PartDevice part && part.opensApart()) {
            return new GangDevice(part, count, gather);
        }
        throw new DeviceException(
                "device %s does not share batches with those of other processes; only processors do: give the job \"device\": \"cpu\""
                        .formatted(device.info().name()));
    }

    @Override
    public DeviceInfo info() {
        DeviceInfo info = own.info();
        return new DeviceInfo(
                String.join("+", Collections.nCopies(count, info.name())),
                info.model(),
                info.description(),
                info.memoryBytes());
    }

    @Override
    public List<DeviceReading> readings() {
        return own.readings();
    }

    @Override
    public Set<Precision> precisions() {
        return own.precisions();
    }

    /// Tests alone are this process's.
    @Override
    public LearningSession open(Workload workload) {
        return workload.trains() ? GangSession.open(own, workload, gather.get()) : own.open(workload);
    }
}
