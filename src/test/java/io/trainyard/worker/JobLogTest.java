package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class JobLogTest {
    private final JobLog log = new JobLog("w1");

    private Stream<String> lines(TrainingEvent... events) {
        return Stream.of(events).map(log::line).flatMap(Optional::stream);
    }

    @Test
    void anAttemptIsTwoLines() {
        assertThat(lines(
                        new Claimed("a", 2, "w1", "cpu"),
                        new StepLosses("a", 2, 0, 1, new float[] {1}, 1000),
                        new CheckpointSaved("a", 2, "file:/a", "00", 1, 0, 1),
                        new Finished("a", 2, 1234, 0.75, 1, 1, 1, 2345, "00", null)))
                .containsExactly(
                        "job=a attempt=2 worker=w1 device=cpu begins",
                        "job=a attempt=2 worker=w1 step=1234 finished: best test accuracy 0.7500, 2.3 s");
    }

    @Test
    void theEndSaysHowItEnded() {
        assertThat(lines(new Failed("a", 1, "no\nmemory"), new Released("a", 1, 1234, "worker w1 stops")))
                .containsExactly(
                        "job=a attempt=1 worker=w1 failed: no memory",
                        "job=a attempt=1 worker=w1 step=1234 given back: worker w1 stops");
    }
}
