package io.trainyard.cli.terminal;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.evaluated;
import static io.trainyard.event.SampleEvents.evaluation;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static io.trainyard.event.SampleEvents.whole;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.CheckpointName;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressLinesTest {
    @Test
    void looksLikeTheTutorials() {
        assertThat(lines(whole("a")))
                .containsExactly(
                        "job a attempt 1 on worker w1, device cpu",
                        "job a started on cpu: network lenet, 1 parameter tensors; dataset shapes32, 60000 training samples, 10000 test samples; 2 epochs of 10 steps",
                        "job a epoch 0 step 5/20 loss 2.5000 mean 2.7000 elapsed 1.0 s",
                        "job a epoch 0 step 10/20 loss 2.0000 mean 2.2000 elapsed 1.0 s",
                        "job a epoch 0 step 10/20 test loss 1.3000 accuracy 0.5000 (0.4920-0.5070) 6543 samples/s",
                        "job a epoch 1 step 15/20 loss 1.5000 mean 1.7000 elapsed 1.5 s",
                        "job a epoch 1 step 20/20 loss 1.0000 mean 1.2000 elapsed 2.0 s",
                        "job a epoch 1 step 20/20 test loss 0.8000 accuracy 0.7500 (0.7420-0.7570) 6543 samples/s",
                        "job a finished: 20 steps, best accuracy 0.7500, 2.0 s; microseconds per step: median 812, p95 950, p99 1024");
    }

    @Test
    void aTestOfACheckpointHasNoSteps() {
        CheckpointName source = new CheckpointName("b", 20L);
        assertThat(lines(List.of(
                        started(evaluation("a", source), 1, 1, 0, source),
                        evaluated("a", 1, 20, 0.5),
                        finished("a", 1, 0))))
                .containsExactly(
                        "job a started on cpu: network fashion, 1 parameter tensors; dataset fashion-mnist, 60000 training samples, 10000 test samples; a test of checkpoint b/20",
                        "job a epoch 1 step 20 test loss 1.3000 accuracy 0.5000 (0.4920-0.5070)",
                        "job a finished: evaluated, accuracy 0.7500, 2.0 s");
    }

    @Test
    void lateEventsOfAnOlderAttemptAreNotShown() {
        List<TrainingEvent> events = List.of(
                started("a", 1, 1),
                losses("a", 1, 0, 1, 7),
                released("a", 1, 7, "the worker stops"),
                started("a", 2, 8),
                losses("a", 1, 0, 8, 3),
                losses("a", 2, 0, 8, 2),
                losses("a", 2, 0, 10, 1));
        assertThat(lines(events).subList(1, 6))
                .containsExactly(
                        "job a epoch 0 step 5/20 loss 2.5000 mean 2.7000 elapsed 0.7 s",
                        "job a was released at step 7/20: the worker stops",
                        "job a started on cpu: network lenet, 1 parameter tensors; dataset shapes32, 60000 training samples, 10000 test samples; 2 epochs of 10 steps",
                        "job a continues from a checkpoint at step 8",
                        "job a epoch 0 step 10/20 loss 2.0000 mean 2.1000 elapsed 1.0 s");
    }

    @Test
    void showsNonFiniteLosses() {
        assertThat(lines(List.of(
                        started("a", 1, 1),
                        losses("a", 1, 0, 1, new float[] {1, 2, 3, 4, Float.NaN}),
                        losses("a", 1, 0, 6, new float[] {1, 2, 3, 4, Float.POSITIVE_INFINITY}))))
                .contains(
                        "job a epoch 0 step 5/20 loss NaN mean NaN elapsed 0.5 s",
                        "job a epoch 0 step 10/20 loss Infinity mean Infinity elapsed 1.0 s");
    }

    @Test
    void reportsEveryHundredStepsWithoutAStart() {
        assertThat(lines(List.of(losses("a", 1, 0, 150, 60))))
                .containsExactly("job a epoch 0 step 200 loss -17.0000 mean -14.5000 elapsed 20.9 s");
    }

    /// With `reportEverySteps` of more than the job's steps.
    @Test
    void reportsAtLeastOncePerSecondAndEpoch() {
        assertThat(lines(List.of(
                        claimed("a"),
                        losses("a", 1, 0, 1, 5),
                        losses("a", 1, 0, 6, 5),
                        losses("a", 1, 1, 11, 3),
                        tested("a", 1, 1, 13, 0.5))))
                .containsExactly(
                        "job a attempt 1 on worker w1, device cpu",
                        "job a epoch 0 step 10 loss 2.0000 mean 2.4500 elapsed 1.0 s",
                        "job a epoch 1 step 13 loss 1.7000 mean 1.8000 elapsed 1.3 s",
                        "job a epoch 1 step 13 test loss 1.3000 accuracy 0.5000 (0.4920-0.5070) 6543 samples/s");
    }

    @Test
    void textsCannotMoveTheCursor() {
        assertThat(lines(List.of(claimed("a", 1, "w\u001b[2J"), failed("a", 1, "no\r\nmemory\u202e"))))
                .containsExactly("job a attempt 1 on worker w?[2J, device cpu", "job a failed: no??memory?");
    }

    private static List<String> lines(List<TrainingEvent> events) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(out, true, UTF_8);
        try (JobProgress progress =
                new JobProgress(new Terminal(InputStream.nullInputStream(), print, print, false), 1)) {
            events.forEach(progress);
        }
        return out.toString(UTF_8).lines().toList();
    }
}
