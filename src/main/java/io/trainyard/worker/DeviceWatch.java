package io.trainyard.worker;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceReading;
import java.time.Duration;
import java.util.List;

/// Polls a device's driver on a separate thread: a driver that answers late or never must not block heartbeats.
/// Old readings are not reported.
final class DeviceWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DeviceWatch.class.getName());

    private static final Duration EVERY = Duration.ofSeconds(2);
    private static final Duration VALID_FOR = Duration.ofSeconds(10);

    private record TimedReadings(List<DeviceReading> readings, long nanos) {}

    private final Host host;
    private final Device device;
    private final StopSignal stop;
    private volatile TimedReadings latest = new TimedReadings(List.of(), 0);
    private boolean failing;

    DeviceWatch(Host host, Device device) {
        this.host = host;
        this.device = device;
        this.stop = new StopSignal(host);
    }

    /// Ends by itself if the driver has no readings, as for the reference device.
    void start() {
        var _ = host.start("device-watch", () -> {
            try {
                while (!stop.isRequested() && poll()) {
                    stop.await(EVERY);
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /// @return whether to poll again
    private boolean poll() {
        try {
            List<DeviceReading> readings = device.readings();
            latest = new TimedReadings(readings, host.nanoTime());
            failing = false;
            return !readings.isEmpty();
        } catch (DeviceException e) {
            if (!failing) {
                LOG.log(System.Logger.Level.WARNING, "the device cannot be read: {0}", e.getMessage());
            }
            failing = true;
            return true;
        }
    }

    /// The newest reading of each device, if any.
    List<DeviceReading> readings() {
        TimedReadings now = latest;
        return host.nanoTime() - now.nanos() < VALID_FOR.toNanos() ? now.readings() : List.of();
    }

    @Override
    public void close() {
        stop.request();
    }
}
