package io.trainyard.training;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceBusyException;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// The attempts of this process that have sessions at the same time. It decides whether there is memory for
/// another: a job that does not fit alone exceeds the device, but one that does not fit next to others can
/// wait. Thread-safe.
final class SessionAdmission {
    private final List<Place> places = new ArrayList<>();

    /// A place of one attempt, until it is closed.
    final class Place implements AutoCloseable {
        private final String device;
        private final long bytes; // that its session may need

        private Place(String device, long bytes) {
            this.device = device;
            this.bytes = bytes;
        }

        /// Opens a session; a further one replaces it.
        ///
        /// @throws DeviceBusyException if the device's memory is short and others use some of it
        LearningSession open(Supplier<LearningSession> session) {
            try {
                return session.get();
            } catch (DeviceMemoryException e) {
                if (others() == 0) {
                    throw e;
                }
                throw new DeviceBusyException("next to the jobs that this worker runs on %s (%d): %s"
                        .formatted(device, others(), e.getMessage()));
            }
        }

        private int others() {
            return on(device).size() - 1;
        }

        @Override
        public void close() {
            synchronized (SessionAdmission.this) {
                places.remove(this);
            }
        }
    }

    /// Takes a place, if there is one.
    ///
    /// @throws DeviceBusyException if all sessions together may need more than the device has
    synchronized Place join(Device device, Workload workload) {
        String name = device.info().name();
        List<Place> others = on(name);
        long taken = others.stream().mapToLong(other -> other.bytes).sum();
        long needed = workload.estimatedBytes();
        long has = device.info().memoryBytes();
        if (!others.isEmpty() && taken + needed > has) {
            throw new DeviceBusyException(
                    "the job may need %d MiB, and the jobs that this worker runs on %s (%d) may need %d of its %d MiB; another worker can claim the job, or this one when memory is free"
                            .formatted(needed >> 20, name, others.size(), taken >> 20, has >> 20));
        }
        Place place = new Place(name, needed);
        places.add(place);
        return place;
    }

    private synchronized List<Place> on(String device) {
        return places.stream().filter(place -> place.device.equals(device)).toList();
    }
}
