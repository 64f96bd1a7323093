package io.trainyard.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.cli.Jobs;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressLinesTest {
    @Test
    void looksLikeTheTutorials() {
        assertThat(lines(Jobs.whole("a")))
                .containsExactly(
                        "job a attempt 1 on worker w1, device cpu",
                        "job a started on cpu: network lenet, 0 parameter tensors; data set shapes32, 80 images to train, 40 to test; 2 epochs of 10 steps",
                        "job a epoch 0 step 5/20 loss 2.5000 elapsed 1.0 s",
                        "job a epoch 0 step 10/20 loss 2.0000 elapsed 1.0 s",
                        "job a epoch 0 step 10/20 test loss 1.8500 accuracy 0.5000 (0.4000-0.6000) 80 images/s",
                        "job a epoch 1 step 15/20 loss 1.5000 elapsed 1.5 s",
                        "job a epoch 1 step 20/20 loss 1.0000 elapsed 2.0 s",
                        "job a epoch 1 step 20/20 test loss 1.8500 accuracy 0.7500 (0.6500-0.8500) 80 images/s",
                        "job a finished: 20 steps, best accuracy 0.7500, 2.0 s; micros a step: median 100000, p95 110000, p99 120000");
    }

    @Test
    void aTestOfACheckpointHasNoSteps() {
        JobSpec spec = JobJson.read(
                "{\"id\": \"a\", \"kind\": \"evaluate\", \"network\": \"lenet\", \"dataset\": \"shapes32\", \"initFrom\": \"b\"}"
                        .getBytes(UTF_8));
        CheckpointName source = new CheckpointName("b", 20L);
        assertThat(lines(List.of(
                        new Started("a", 1, spec, "cpu", 1, 80, 40, 10, 1, 0, List.of(), source),
                        new EpochTested(
                                "a", 1, 1, 20, 1.85, 9.25, 0.5, 0.4, 0.6, new double[10], new int[10][10], 0, 100, 0),
                        new Finished("a", 1, 0, 0.5, 0, 0, 0, 100, "00", null))))
                .containsExactly(
                        "job a started on cpu: network lenet, 0 parameter tensors; data set shapes32, 80 images to train, 40 to test; a test of checkpoint b/20",
                        "job a epoch 1 step 20 test loss 1.8500 accuracy 0.5000 (0.4000-0.6000)",
                        "job a finished: evaluated, accuracy 0.5000, 0.1 s");
    }

    @Test
    void whatIsLeftOfAnOlderAttemptIsNotShown() {
        List<TrainingEvent> events = List.of(
                Jobs.started(Jobs.spec("a"), 1, 1),
                Jobs.losses("a", 1, 0, 1, 7),
                new Released("a", 1, 7, "the worker stops"),
                Jobs.started(Jobs.spec("a"), 2, 8),
                Jobs.losses("a", 1, 0, 8, 3),
                Jobs.losses("a", 2, 0, 8, 2),
                Jobs.losses("a", 2, 0, 10, 1));
        assertThat(lines(events).subList(1, 6))
                .containsExactly(
                        "job a epoch 0 step 5/20 loss 2.5000 elapsed 0.7 s",
                        "job a was given back at step 7/20: the worker stops",
                        "job a started on cpu: network lenet, 0 parameter tensors; data set shapes32, 80 images to train, 40 to test; 2 epochs of 10 steps",
                        "job a goes on from a checkpoint at step 8",
                        "job a epoch 0 step 10/20 loss 2.0000 elapsed 1.0 s");
    }

    @Test
    void aLossThatIsNoNumberIsShownAsSuch() {
        assertThat(lines(List.of(
                        Jobs.started(Jobs.spec("a"), 1, 1),
                        new StepLosses("a", 1, 0, 1, new float[] {1, 2, 3, 4, Float.NaN}, 500_000),
                        new StepLosses("a", 1, 0, 6, new float[] {1, 2, 3, 4, Float.POSITIVE_INFINITY}, 1_000_000))))
                .contains(
                        "job a epoch 0 step 5/20 loss NaN elapsed 0.5 s",
                        "job a epoch 0 step 10/20 loss Infinity elapsed 1.0 s");
    }

    @Test
    void withoutAStartItTellsEveryHundredSteps() {
        assertThat(lines(List.of(Jobs.losses("a", 1, 0, 150, 60))))
                .containsExactly("job a epoch 0 step 200 loss -17.0000 elapsed 20.9 s");
    }

    @Test
    void textFromElsewhereCannotMoveTheCursor() {
        assertThat(lines(List.of(new Claimed("a", 1, "w\u001b[2J", "cpu"), new Failed("a", 1, "no\r\nmemory\u202e"))))
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
