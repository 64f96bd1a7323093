package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatus.Reading;
import io.trainyard.event.WorkerStatusBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeviceSamplesTest {
    private static WorkerStatus status(String job) {
        Reading one = new Reading("cuda:0", 0.5, 1L << 30, 8L << 30, 100.0, null, null);
        Reading other = new Reading("cuda:1", 1.0, 2L << 30, 8L << 30, null, null, null);
        return WorkerStatusBuilder.of("w", "cuda:0+cuda:1")
                .job(job, 1)
                .memoryBytes(7)
                .readings(List.of(one, other))
                .build();
    }

    @Test
    void aLongJobKeepsSamplesOfItsWholeTime() {
        DeviceSamples samples = new DeviceSamples();
        for (int second = 0; second < 3_600; second++) {
            samples.take(status("long"), second * 1000L);
        }
        List<DeviceSamples.Sample> kept = samples.of("long");
        assertThat(kept).hasSizeBetween(60, 120).isSortedAccordingTo((a, b) -> Long.compare(a.millis(), b.millis()));
        assertThat(kept.getFirst()).isEqualTo(new DeviceSamples.Sample(0, "w", 7, 0.75, 3.0 * (1 << 30), null));
        assertThat(kept.getLast().millis()).isGreaterThan(3_500_000);
        assertThat(samples.of("other")).isEmpty();
    }

    @Test
    void theJobsWithTheOldestHeartbeatsAreForgotten() {
        DeviceSamples samples = new DeviceSamples();
        for (int i = 0; i < 1_001; i++) {
            samples.take(status("job" + i), i);
        }
        assertThat(samples.of("job0")).isEmpty();
        assertThat(samples.of("job1")).hasSize(1);
    }
}
