package io.trainyard.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.GroupFolder;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RungTest {
    @TempDir
    private Path folder;

    private CheckpointStore store;
    private Halving halving;

    @BeforeEach
    void open() {
        store = CheckpointStore.open(folder.toUri());
        halving = new Halving(store);
    }

    private static JobSpec job(String id) {
        return job(id, "");
    }

    private static JobSpec job(String id, String more) {
        return JobJson.read("""
                {"id": "%s", "network": "fashion", "dataset": "shapes28", "epochs": 9, "group": "g", "asha": {"reductionFactor": 3}%s}""".formatted(id, more).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void ofEqualsTheFirstByItsIdIsBetterAndWhatFailedIsWorst() {
        Rung rung =
                Rung.of(Map.of("d", "0.5", "b", "0.5", "c", "failed", "a", "0.25", "e", "nonsense", "f", "-1.0E-4"));
        assertThat(rung.best(1)).containsExactly("b", "d", "a", "f");
        assertThat(rung.best(2)).containsExactly("b", "d", "a");
        assertThat(rung.best(3)).containsExactly("b", "d");
        assertThat(rung.best(4)).containsExactly("b");
        assertThat(rung.best(7)).isEmpty();
        assertThat(Rung.of(Map.of("a", "failed", "b", "failed")).best(2)).isEmpty();
    }

    @Test
    void aJobRestsUnlessItIsAmongTheBestSoFar() {
        assertThat(halving.rests(job("a"), 1, 0.5))
                .hasValueSatisfying(
                        reason -> assertThat(reason)
                                .isEqualTo(
                                        "after 1 epochs its accuracy is 0.5000, and of the 1 jobs of g that were tested there none goes on yet"));
        assertThat(halving.rests(job("b"), 1, 0.25)).isPresent();
        assertThat(halving.rests(job("c"), 1, 0.75)).isEmpty();
        assertThat(halving.goOn(List.of(job("a"), job("b")))).isEmpty();
        assertThat(halving.rests(job("d"), 1, 0.125))
                .hasValueSatisfying(reason -> assertThat(reason).endsWith("one goes on"));
        halving.ends(job("e"), Double.NaN);
        halving.ends(job("f"), Double.NaN);
        assertThat(halving.goOn(List.of(job("a"), job("b"), job("d"))))
                .as("two of six, with those that have failed")
                .containsExactly("a");
    }

    @Test
    void theFirstResultStaysWhoeverAsksAgain() {
        assertThat(halving.rests(job("a"), 1, 0.5)).isPresent();
        assertThat(halving.rests(job("b"), 1, 0.25)).isPresent();
        assertThat(halving.rests(job("c"), 1, 0.125)).isPresent();
        assertThat(halving.rests(job("a"), 1, 0.1)).as("it is 0.5 still").isEmpty();
        assertThat(new GroupFolder(store, "g").results(1))
                .containsEntry("a", "0.5")
                .hasSize(3);
    }

    @Test
    void whatIsNoRungIsNotAsked() {
        assertThat(halving.rests(job("a"), 2, 0.5)).isEmpty();
        assertThat(halving.rests(job("a"), 9, 0.5)).isEmpty();
        assertThat(store.list("g/rungs/2")).isEmpty();
        assertThat(halving.rests(job("a"), 3, 0.5)).isPresent();
    }

    @Test
    void aSmallerLossIsBetter() {
        String mse = ", \"loss\": {\"type\": \"mse\"}";
        assertThat(halving.rests(job("a", mse), 1, -2)).isPresent();
        assertThat(halving.rests(job("b", mse), 1, -3)).isPresent();
        assertThat(halving.rests(job("c", mse), 1, -1.5)).isEmpty();
        assertThat(halving.rests(job("d", mse), 1, -1.75))
                .hasValueSatisfying(reason -> assertThat(reason).startsWith("after 1 epochs its loss is 1.7500"));
    }

    /// It counts where the others are still asked, at its own next rung and no other.
    @Test
    void whatEndsEarlyCountsAtItsNextRung() {
        assertThat(halving.rests(job("a"), 1, 0.9)).isPresent();
        halving.ends(job("a"), 0.95);
        assertThat(new GroupFolder(store, "g").results(3)).containsExactly(Map.entry("a", "0.95"));
        halving.ends(job("a"), 0.99);
        assertThat(new GroupFolder(store, "g").results(3)).containsExactly(Map.entry("a", "0.95"));
    }

    /// A store that was emptied must not keep a job from going on.
    @Test
    void aJobWhoseResultIsLostGoesOn() {
        assertThat(halving.goOn(List.of(job("a")))).containsExactly("a");
    }
}
