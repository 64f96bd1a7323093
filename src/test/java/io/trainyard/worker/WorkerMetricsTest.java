package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.TIME;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.saved;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.trainyard.device.Devices;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.metrics.Scrape;
import io.trainyard.spec.DeviceSpec;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WorkerMetricsTest {
    private final Activity activity = new Activity();
    private final Activity.RunningAttempt job = activity.of(SampleEvents.spec("a"), 1);
    private final PrometheusMeterRegistry registry = Scrape.registry();

    private Scrape scrape() {
        return Scrape.of(registry);
    }

    private void see(TrainingEvent event, long millis) {
        job.see(SerializedEvent.of(event, TIME.plusMillis(millis), "w"));
    }

    @Test
    void reportsTheStateOfItsJobs() {
        ClaimGate gate = new ClaimGate(ClaimGate.Rules.of(Fleet.BEAT, Fleet.BEAT));
        new WorkerMetrics(activity, gate, new SystemHost(), Devices.open(new DeviceSpec("cpu")), 4).register(registry);
        scrape().requireAll(true);
        assertThat(scrape().value("trainyard_worker_busy{kind=\"cpu\",}")).isZero();
        assertThat(scrape().value("trainyard_worker_device_memory_bytes")).isZero();

        job.begin();
        JobEvents events = new JobEvents(_ -> new CompletableFuture<>()); // the brokers are unavailable
        job.sends(events);
        events.publish(SerializedEvent.of(claimed("a"), TIME, "w"));
        see(claimed("a"), 0);
        see(losses("a", 1, 0, 1, 4), 1500);
        see(losses("a", 1, 0, 5, 6), 2100); // batches of 8, 600 ms
        see(saved("a", 1, 0, 10), 2200);
        job.checkpointFailed();
        Scrape training = scrape();
        assertThat(training.value("trainyard_worker_busy{kind=\"cpu\",}")).isOne();
        assertThat(training.value("trainyard_worker_jobs")).isOne();
        assertThat(training.value("trainyard_worker_slots")).isEqualTo(4);
        assertThat(training.value("trainyard_worker_steps_total")).isEqualTo(10);
        assertThat(training.value("trainyard_worker_samples_per_second")).isEqualTo(80);
        assertThat(training.value("trainyard_worker_checkpoints_total")).isOne();
        assertThat(training.value("trainyard_worker_checkpoint_failures_total")).isOne();
        assertThat(training.value("trainyard_worker_events_waiting")).isOne();
        assertThat(training.value("trainyard_worker_device_memory_bytes")).isPositive();
        assertThat(training.value("trainyard_worker_resident_memory_bytes")).isGreaterThan(1 << 20);
        assertThat(training.value("trainyard_worker_claim_to_first_step_seconds_sum"))
                .isEqualTo(1.5);
        assertThat(training.value("trainyard_worker_claim_to_first_step_seconds_count"))
                .isOne();
        assertThat(training.value("trainyard_worker_claim_to_first_step_seconds_bucket{le=\"1.0\",}"))
                .isZero();
        assertThat(training.value("trainyard_worker_claim_to_first_step_seconds_bucket{le=\"2.0\",}"))
                .isOne();

        job.end();
        assertThat(scrape().value("trainyard_worker_busy{kind=\"cpu\",}")).isZero();
        assertThat(scrape().value("trainyard_worker_events_waiting")).isZero();
        assertThat(scrape().value("trainyard_worker_steps_total")).isEqualTo(10);
    }
}
