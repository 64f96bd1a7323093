package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.trainyard.dashboard.LossCurve.Bucket;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LossCurveTest {
    private static final long END = Long.MAX_VALUE;

    private static float[] losses(long firstStep, int steps) {
        float[] losses = new float[steps];
        for (int i = 0; i < steps; i++) {
            losses[i] = lossOf(firstStep + i);
        }
        return losses;
    }

    /// Some figure between -1 and 1.
    private static float lossOf(long step) {
        return (float) Math.sin(step);
    }

    private static List<Bucket> all(LossCurve curve) {
        return all(curve, Map.of(1, END));
    }

    /// @param ends the attempts that count, each with the step from which on it does not
    private static List<Bucket> all(LossCurve curve, Map<Integer, Long> ends) {
        return curve.between(1, Long.MAX_VALUE, Integer.MAX_VALUE, new TreeMap<>(ends));
    }

    private static long stepsIn(LossCurve curve) {
        return all(curve).stream().mapToLong(Bucket::count).sum();
    }

    @Test
    void keepsEveryLossWhileThereIsRoom() {
        LossCurve curve = new LossCurve(100);
        curve.add(1, 1, 1, losses(1, 60));
        curve.add(1, 1, 61, losses(61, 40));

        assertThat(all(curve)).hasSize(100);
        assertThat(all(curve).get(70)).isEqualTo(new Bucket(71, 71, 1, lossOf(71), lossOf(71), lossOf(71)));
    }

    @Test
    void staysBoundedAndKeepsASpikeOfOneStepAndTheMean() {
        LossCurve curve = new LossCurve(64);
        double sum = 0;
        for (int from = 1; from <= 100_000; from += 100) {
            float[] losses = losses(from, 100);
            if (from == 31_401) {
                losses[17] = 1000;
                losses[18] = -5;
            }
            for (float loss : losses) {
                sum += loss;
            }
            curve.add(1, 1, from, losses);
            assertThat(all(curve)).hasSizeLessThanOrEqualTo(64);
        }

        assertThat(stepsIn(curve)).isEqualTo(100_000);
        assertThat(all(curve).getFirst().firstStep()).isEqualTo(1);
        assertThat(all(curve).getLast().lastStep()).isEqualTo(100_000);
        assertThat(all(curve))
                .filteredOn(b -> b.max() == 1000 && b.min() == -5)
                .singleElement()
                .satisfies(b -> assertThat(31_418L).isBetween(b.firstStep(), b.lastStep()));
        double mean = all(curve).stream().mapToDouble(b -> b.mean() * b.count()).sum() / 100_000;
        assertThat(mean).isCloseTo(sum / 100_000, within(1e-6));
    }

    @Test
    void neverCountsAStepTwiceWhenItIsReadAgain() {
        LossCurve curve = new LossCurve(1000);
        curve.add(1, 1, 1, losses(1, 50));
        curve.add(1, 1, 1, losses(1, 50));
        curve.add(1, 1, 41, losses(41, 20));

        assertThat(stepsIn(curve)).isEqualTo(60);
        assertThat(all(curve)).extracting(Bucket::firstStep).doesNotHaveDuplicates();
    }

    @Test
    void aNewerAttemptReplacesTheStepsItGoesOnFromWhicheverIsReadFirst() {
        LossCurve late = new LossCurve(1000);
        late.add(2, 2, 61, new float[] {7, 8});
        late.add(1, 2, 1, losses(1, 100));
        LossCurve early = new LossCurve(1000);
        early.add(1, 1, 1, losses(1, 100));
        early.add(2, 2, 61, new float[] {7, 8});
        early.add(1, 2, 101, losses(101, 10)); // a worker that has lost the job and does not know it yet

        assertThat(all(early, Map.of(1, 61L, 2, END)))
                .hasSize(62)
                .isEqualTo(all(late, Map.of(1, 61L, 2, END)))
                .last()
                .satisfies(bucket -> assertThat(bucket.max()).isEqualTo(8));
    }

    @Test
    void anAttemptThatStartsOverLeavesNothingOfTheOlder() {
        LossCurve curve = new LossCurve(8);
        curve.add(1, 1, 1, losses(1, 100));
        curve.add(2, 2, 1, new float[] {7});

        assertThat(all(curve, Map.of(1, 1L, 2, END))).containsExactly(new Bucket(1, 1, 1, 7, 7, 7));
    }

    @Test
    void leavesOutABucketThatANewerAttemptBeginsInside() {
        LossCurve curve = new LossCurve(4);
        curve.add(1, 1, 1, losses(1, 16)); // four steps a bucket
        curve.add(2, 2, 7, losses(7, 1));

        assertThat(all(curve, Map.of(1, 7L, 2, END)))
                .extracting(Bucket::firstStep)
                .containsExactly(1L, 7L);
    }

    @Test
    void keepsSoManyAttemptsAndNoForgedOnesInTheirPlace() {
        LossCurve curve = new LossCurve(4);
        curve.add(1, 1, 1, losses(1, 1));
        for (int forged = 0; forged < 2 * LossCurve.MAX_ATTEMPTS; forged++) {
            curve.add(Integer.MAX_VALUE - forged, 1, 1, losses(1, 1));
        }
        assertThat(stepsIn(curve)).isEqualTo(1);
    }

    @Test
    void resamplesInsideTheRange() {
        LossCurve curve = new LossCurve(1000);
        curve.add(1, 1, 1, losses(1, 1000));

        assertThat(curve.between(1, 1000, 100, new TreeMap<>(Map.of(1, END)))).hasSize(100);
        assertThat(curve.between(501, 550, 100, new TreeMap<>(Map.of(1, END))))
                .hasSize(50)
                .allSatisfy(bucket -> assertThat(bucket.count()).isEqualTo(1));
        assertThat(curve.between(5000, 6000, 100, new TreeMap<>(Map.of(1, END))))
                .isEmpty();
    }

    @Test
    void showsLossesThatAreNoNumbers() {
        LossCurve curve = new LossCurve(2);
        curve.add(1, 1, 1, new float[] {1, 2, Float.NaN, 4});

        assertThat(all(curve)).element(1).satisfies(b -> assertThat(b.max()).isNaN());
    }

    @Test
    void refusesALimitThatCannotBe() {
        assertThatThrownBy(() -> new LossCurve(1))
                .hasMessageContaining("1 buckets")
                .hasMessageContaining("2 or more");
    }
}
