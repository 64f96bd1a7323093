package io.trainyard.worker;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.metrics.Meters;
import io.trainyard.metrics.Metric;
import io.trainyard.spec.DeviceSpec;

/// A worker's metrics for Prometheus. All but one histogram are computed when they are scraped.
///
/// @param device the worker's; jobs that name other devices do not count in its memory
record WorkerMetrics(Activity activity, ClaimGate gate, Host host, Device device, int slots) {
    void register(MeterRegistry registry) {
        Meters meters = new Meters(registry);
        String kind = new DeviceSpec(device.info().name()).kind();
        meters.gauge(Metric.WORKER_BUSY, () -> activity.jobs().isEmpty() ? 0 : 1, kind);
        meters.gauge(Metric.WORKER_JOBS, () -> activity.jobs().size());
        meters.gauge(Metric.WORKER_SLOTS, () -> slots);
        meters.gauge(Metric.WORKER_SAMPLES_PER_SECOND, activity::samplesPerSecond);
        meters.counter(Metric.WORKER_STEPS_TOTAL, activity, its -> its.totals().steps());
        meters.counter(
                Metric.WORKER_CHECKPOINTS_TOTAL, activity, its -> its.totals().checkpoints());
        meters.counter(
                Metric.WORKER_CHECKPOINT_FAILURES_TOTAL,
                activity,
                its -> its.totals().checkpointFailures());
        meters.counter(
                Metric.WORKER_LOST_COMMANDS_TOTAL, activity, its -> its.totals().lostCommands());
        meters.gauge(Metric.WORKER_CLOCK_OFFSET_SECONDS, () -> gate.skew().toMillis() / 1000.0);
        meters.gauge(Metric.WORKER_EVENTS_WAITING, activity::eventsWaiting);
        meters.gauge(Metric.WORKER_DEVICE_MEMORY_BYTES, this::deviceMemoryBytes);
        meters.gauge(Metric.WORKER_RESIDENT_MEMORY_BYTES, host::residentBytes);
        DistributionSummary firstSteps = meters.histogram(Metric.WORKER_CLAIM_TO_FIRST_STEP_SECONDS);
        activity.onFirstStep(firstSteps::record);
    }

    /// Read only while a job has a session: querying an unused GPU would create a context on it.
    private double deviceMemoryBytes() {
        if (activity.samplesPerSecond() == 0) {
            return 0;
        }
        try {
            return device.usedMemoryBytes().orElse(0);
        } catch (DeviceException _) { // the job's thread reports it in detail
            return Double.NaN;
        }
    }
}
