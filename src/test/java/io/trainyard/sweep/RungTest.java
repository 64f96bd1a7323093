package io.trainyard.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.GroupFolder;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RungTest {
    @TempDir
    private Path folder;

    private CheckpointStore store;
    private SuccessiveHalving halving;

    @BeforeEach
    void open() {
        store = CheckpointStore.open(folder.toUri());
        halving = new SuccessiveHalving(store);
    }

    private static JobSpec job(String id) {
        return job(id, "");
    }

    private static JobSpec job(String id, String more) {
        return JobJson.read("""
                {"id": "%s", "network": "fashion", "dataset": "shapes28", "epochs": 9, "group": "g", "asha": {"reductionFactor": 3}%s}""".formatted(id, more).getBytes(StandardCharsets.UTF_8));
    }

    private static Rung rung(Map<String, String> results) {
        Map<String, GroupFolder.Result> all = new HashMap<>();
        results.forEach((job, text) -> all.put(job, new GroupFolder.Result(1, text)));
        return Rung.of(all);
    }

    private static TrainingEvent failed(String job, int attempt) {
        return SampleEvents.failed(job, attempt, "the loss is not a number");
    }

    private static TrainingEvent early(String job) {
        return new TrainingEvent.Finished(
                job, 1, 9, 0.97, 0, 0, 0, 0, "", "three epochs without a better one", 0.1, null, null, null);
    }

    @Test
    void equalResultsAreOrderedByIdAndFailuresAreWorst() {
        Rung rung = rung(Map.of("d", "0.5", "b", "0.5", "c", "failed", "a", "0.25", "e", "nonsense", "f", "-1.0E-4"));
        assertThat(rung.best(1)).containsExactly("b", "d", "a", "f");
        assertThat(rung.best(2)).containsExactly("b", "d", "a");
        assertThat(rung.best(3)).containsExactly("b", "d");
        assertThat(rung.best(4)).containsExactly("b");
        assertThat(rung.best(7)).isEmpty();
        assertThat(rung(Map.of("a", "failed", "b", "failed")).best(2)).isEmpty();
    }

    @Test
    void aJobIsPausedUnlessItIsAmongTheBest() {
        assertThat(halving.isPaused(job("a"), 1, 1, 0.5))
                .hasValueSatisfying(
                        reason -> assertThat(reason)
                                .isEqualTo(
                                        "after 1 epochs its accuracy is 0.5000, and of the 1 jobs of g that were tested there none continues yet"));
        assertThat(halving.isPaused(job("b"), 1, 1, 0.25)).isPresent();
        assertThat(halving.isPaused(job("c"), 1, 1, 0.75)).isEmpty();
        assertThat(halving.goOn(List.of(job("a"), job("b")))).isEmpty();
        assertThat(halving.isPaused(job("d"), 1, 1, 0.125))
                .hasValueSatisfying(reason -> assertThat(reason).endsWith("one continues"));
        halving.ended(job("e"), failed("e", 1), 2, () -> null);
        halving.ended(job("f"), failed("f", 1), 2, () -> null);
        assertThat(halving.goOn(List.of(job("a"), job("b"), job("d"))))
                .as("two of six, with those that have failed")
                .containsExactly("a");
    }

    @Test
    void theFirstResultIsFinal() {
        assertThat(halving.isPaused(job("a"), 1, 1, 0.5)).isPresent();
        assertThat(halving.isPaused(job("b"), 1, 1, 0.25)).isPresent();
        assertThat(halving.isPaused(job("c"), 1, 1, 0.125)).isPresent();
        assertThat(halving.isPaused(job("a"), 1, 1, 0.1)).as("it is 0.5 still").isEmpty();
        assertThat(new GroupFolder(store, "g").results(1))
                .containsEntry("a", new GroupFolder.Result(1, "0.5"))
                .hasSize(3);
    }

    @Test
    void epochsBetweenRungsAreIgnored() {
        assertThat(halving.isPaused(job("a"), 1, 2, 0.5)).isEmpty();
        assertThat(halving.isPaused(job("a"), 1, 9, 0.5)).isEmpty();
        assertThat(store.list("g/rungs/2")).isEmpty();
        assertThat(halving.isPaused(job("a"), 1, 3, 0.5)).isPresent();
    }

    @Test
    void aSmallerLossIsBetter() {
        String mse = ", \"loss\": {\"type\": \"mse\"}";
        assertThat(halving.isPaused(job("a", mse), 1, 1, -2)).isPresent();
        assertThat(halving.isPaused(job("b", mse), 1, 1, -3)).isPresent();
        assertThat(halving.isPaused(job("c", mse), 1, 1, -1.5)).isEmpty();
        assertThat(halving.isPaused(job("d", mse), 1, 1, -1.75))
                .hasValueSatisfying(reason -> assertThat(reason).startsWith("after 1 epochs its loss is 1.7500"));
    }

    /// The result counts at its next rung only, where the other trials are still compared.
    @Test
    void aJobThatEndsEarlyCountsAtItsNextRung() {
        assertThat(halving.isPaused(job("a"), 1, 1, 0.9)).isPresent();
        halving.ended(job("a"), early("a"), 2, () -> 0.95);
        assertThat(new GroupFolder(store, "g").results(3))
                .containsExactly(Map.entry("a", new GroupFolder.Result(2, "0.95")));
        halving.ended(job("a"), early("a"), 2, () -> 0.99);
        assertThat(new GroupFolder(store, "g").results(3))
                .containsExactly(Map.entry("a", new GroupFolder.Result(2, "0.95")));
    }

    /// Each process that publishes a stored end writes the result again.
    @Test
    void anEndThatIsPublishedTwiceCountsAtOneRung() {
        JobSpec job = JobJson.read("""
                {"id": "a", "network": "fashion", "dataset": "shapes28", "epochs": 27, "group": "g",
                 "asha": {"reductionFactor": 3}}""".getBytes(StandardCharsets.UTF_8));
        assertThat(halving.isPaused(job, 1, 1, 0.5)).isPresent();
        halving.ended(job, failed("a", 1), 2, () -> null);
        halving.ended(job, failed("a", 1), 2, () -> null);
        GroupFolder group = new GroupFolder(store, "g");
        assertThat(group.results(3)).containsExactly(Map.entry("a", new GroupFolder.Result(2, "failed")));
        assertThat(group.results(9)).isEmpty();
    }

    /// A frozen worker continues after its successor has resumed: its results never count.
    @Test
    void aSupersededAttemptDecidesNothing() {
        halving.resumes(job("a"), 2, 0);
        assertThat(halving.isPaused(job("a"), 1, 1, 0.99)).isPresent();
        GroupFolder group = new GroupFolder(store, "g");
        assertThat(group.results(1)).isEmpty();
        assertThat(halving.isPaused(job("a"), 2, 1, 0.5)).isPresent();
        assertThat(group.results(1)).containsExactly(Map.entry("a", new GroupFolder.Result(2, "0.5")));
        group.keepResult(3, "a", 1, "failed");
        assertThat(group.results(3)).isEmpty();
        assertThat(halving.isPaused(job("a"), 2, 3, 0.75)).isPresent();
        assertThat(group.results(3)).containsExactly(Map.entry("a", new GroupFolder.Result(2, "0.75")));
    }

    /// Results up to the step from which the successor resumes count.
    @Test
    void anEarlierResultAtARungCounts() {
        assertThat(halving.isPaused(job("a"), 1, 1, 0.5)).isPresent();
        halving.resumes(job("a"), 2, 1);
        assertThat(halving.isPaused(job("a"), 2, 1, 0.25)).isPresent();
        assertThat(new GroupFolder(store, "g").results(1))
                .containsExactly(Map.entry("a", new GroupFolder.Result(1, "0.5")));
    }

    /// An emptied store must not stop a job from continuing.
    @Test
    void aJobWithALostResultContinues() {
        assertThat(halving.goOn(List.of(job("a")))).containsExactly("a");
    }
}
