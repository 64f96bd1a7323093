package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.saved;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class JobLogTest {
    private final JobLog log = new JobLog("w1");

    private Stream<String> lines(TrainingEvent... events) {
        return Stream.of(events).map(log::line).flatMap(Optional::stream);
    }

    @Test
    void logsTwoLinesPerAttempt() {
        assertThat(lines(claimed("a", 2, "w1"), losses("a", 2, 0, 1, 1), saved("a", 2, 0, 1), finished("a", 2, 1234)))
                .containsExactly(
                        "job=a attempt=2 worker=w1 device=cpu begins",
                        "job=a attempt=2 worker=w1 step=1234 finished: best accuracy 0.7500, 2.0 s");
    }

    @Test
    void logsHowTheJobEnded() {
        assertThat(lines(failed("a", 1, "no\nmemory"), released("a", 1, 1234, "worker w1 stops")))
                .containsExactly(
                        "job=a attempt=1 worker=w1 failed: no memory",
                        "job=a attempt=1 worker=w1 step=1234 released: worker w1 stops");
    }
}
