package io.trainyard.device.parallel;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceReading;
import io.trainyard.device.Devices;
import io.trainyard.device.LearningSession;
import io.trainyard.device.ShardDevice;
import io.trainyard.device.Workload;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Precision;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Several devices of one kind, each computing a part of every batch.
///
/// @param devices in the order of the parts; the CPU may be repeated
public record ParallelDevice(List<ShardDevice> devices) implements Device {
    public ParallelDevice {
        devices = List.copyOf(devices);
    }

    /// Opens the devices that train a job together.
    ///
    /// @param specs of one kind
    /// @throws DeviceException if one is not available, or cannot compute a part of a batch
    public static ParallelDevice open(List<DeviceSpec> specs) {
        List<ShardDevice> devices = new ArrayList<>();
        for (DeviceSpec spec : specs) {
            if (!(Devices.open(spec) instanceof ShardDevice device)) {
                throw new DeviceException(
                        "device %s cannot compute a part of a batch; name one device alone, with \"device\" instead of \"devices\""
                                .formatted(spec.name()));
            }
            devices.add(device);
        }
        return new ParallelDevice(devices);
    }

    /// Has the memory of the smallest device, because each holds all parameters.
    @Override
    public DeviceInfo info() {
        List<DeviceInfo> infos = devices.stream().map(Device::info).toList();
        return new DeviceInfo(
                infos.stream().map(DeviceInfo::name).collect(Collectors.joining("+")),
                infos.stream().map(DeviceInfo::model).distinct().collect(Collectors.joining("; ")),
                infos.stream().map(DeviceInfo::description).distinct().collect(Collectors.joining("; ")),
                infos.stream().mapToLong(DeviceInfo::memoryBytes).min().orElseThrow());
    }

    @Override
    public List<DeviceReading> readings() {
        return devices.stream().flatMap(device -> device.readings().stream()).toList();
    }

    @Override
    public Set<Precision> precisions() {
        Set<Precision> all = EnumSet.allOf(Precision.class);
        devices.forEach(device -> all.retainAll(device.precisions()));
        return all;
    }

    @Override
    public LearningSession open(Workload workload) {
        return new ParallelSession(devices, workload);
    }
}
