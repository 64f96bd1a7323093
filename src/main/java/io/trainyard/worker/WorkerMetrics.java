package io.trainyard.worker;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.metrics.Meters;
import io.trainyard.metrics.Metric;
import io.trainyard.spec.DeviceSpec;

/// What a worker tells Prometheus of itself. It is asked only while it is scraped, but for the one
/// histogram.
///
/// @param gate knows its clock
/// @param device its own; a job that names others is not seen in its memory
/// @param slots how many jobs it has at once
record WorkerMetrics(Activity activity, ClaimGate gate, Host host, Device device, int slots) {
    void register(MeterRegistry registry) {
        Meters meters = new Meters(registry);
        String kind = new DeviceSpec(device.info().name()).kind();
        meters.gauge(Metric.WORKER_BUSY, () -> activity.jobs().isEmpty() ? 0 : 1, kind);
        meters.gauge(Metric.WORKER_JOBS, () -> activity.jobs().size());
        meters.gauge(Metric.WORKER_SLOTS, () -> slots);
        meters.gauge(Metric.WORKER_IMAGES_PER_SECOND, activity::imagesPerSecond);
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

    /// Only while a session of a job is there: to ask a GPU that nobody uses makes a context on it for that
    /// alone.
    private double deviceMemoryBytes() {
        if (activity.imagesPerSecond() == 0) {
            return 0;
        }
        try {
            return device.usedMemoryBytes().orElse(0);
        } catch (DeviceException _) { // the job's own thread sees it, too, and says more
            return Double.NaN;
        }
    }
}
