package io.trainyard.dashboard;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatus.Reading;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The use of workers' devices while jobs run, from heartbeats since the dashboard started. In memory, and bounded: a
/// longer job has samples that are further apart. Thread-safe.
final class DeviceSamples {
    private static final int MAX_JOBS = 1_000;
    private static final int MAX_SAMPLES = 120;
    private static final long LEAST_MILLIS = 1_000;

    /// The state of a worker at one moment; all its jobs share the devices. Null if unknown.
    ///
    /// @param memoryBytes resident memory of the worker's process
    /// @param utilization mean of its devices, 0..1
    /// @param deviceMemoryBytes sum of its GPUs, by all processes
    /// @param powerWatts sum of its GPUs
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Sample(
            long millis,
            String worker,
            long memoryBytes,
            @Nullable Double utilization,
            @Nullable Double deviceMemoryBytes,
            @Nullable Double powerWatts) {}

    private static final class Samples {
        private final List<Sample> all = new ArrayList<>();
        private long everyMillis = LEAST_MILLIS;

        void add(Sample sample) {
            if (!all.isEmpty() && sample.millis() - all.getLast().millis() < everyMillis) {
                return;
            }
            all.add(sample);
            if (all.size() > MAX_SAMPLES) {
                for (int i = all.size() - 2; i > 0; i -= 2) {
                    all.remove(i);
                }
                everyMillis *= 2;
            }
        }
    }

    /// By job, the one with the oldest heartbeat first.
    private final Map<String, Samples> jobs = new LinkedHashMap<>(16, 0.75f, true);

    synchronized void take(WorkerStatus status, long millis) {
        for (WorkerStatus.Job job : status.jobs()) {
            jobs.computeIfAbsent(job.job(), _ -> new Samples()).add(sample(status, millis));
        }
        while (jobs.size() > MAX_JOBS) {
            jobs.remove(jobs.keySet().iterator().next());
        }
    }

    /// In order of time.
    synchronized List<Sample> of(String job) {
        Samples samples = jobs.get(job);
        return samples == null ? List.of() : List.copyOf(samples.all);
    }

    private static Sample sample(WorkerStatus status, long millis) {
        List<Reading> readings = Objects.requireNonNullElse(status.readings(), List.of());
        Double sum = sum(readings, Reading::utilization);
        return new Sample(
                millis,
                status.worker(),
                status.memoryBytes(),
                sum == null ? null : sum / readings.size(),
                sum(readings, Reading::memoryUsedBytes),
                sum(readings, Reading::powerWatts));
    }

    /// Null if a value is unknown.
    private static @Nullable Double sum(List<Reading> readings, Function<Reading, @Nullable Number> value) {
        double sum = 0;
        for (Reading reading : readings) {
            Number one = value.apply(reading);
            if (one == null) {
                return null;
            }
            sum += one.doubleValue();
        }
        return readings.isEmpty() ? null : sum;
    }
}
