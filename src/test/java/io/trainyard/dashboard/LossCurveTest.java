package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.trainyard.dashboard.LossCurve.Bucket;
import java.util.List;
import org.junit.jupiter.api.Test;

class LossCurveTest {
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
        return curve.between(1, Long.MAX_VALUE, Integer.MAX_VALUE);
    }

    private static long stepsIn(LossCurve curve) {
        return all(curve).stream().mapToLong(Bucket::count).sum();
    }

    @Test
    void keepsEveryLossWhileThereIsRoom() {
        LossCurve curve = new LossCurve(100);
        curve.add(1, 1, losses(1, 60));
        curve.add(1, 61, losses(61, 40));

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
            curve.add(1, from, losses);
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
        curve.add(1, 1, losses(1, 50));
        curve.add(1, 1, losses(1, 50));
        curve.add(1, 41, losses(41, 20));

        assertThat(stepsIn(curve)).isEqualTo(60);
        assertThat(all(curve)).extracting(Bucket::firstStep).doesNotHaveDuplicates();
    }

    @Test
    void aNewerAttemptReplacesTheStepsItGoesOnFrom() {
        LossCurve curve = new LossCurve(1000);
        curve.add(1, 1, losses(1, 100));
        curve.begin(2, 61);
        assertThat(stepsIn(curve)).isEqualTo(60);

        curve.add(2, 61, new float[] {7, 8});
        curve.add(1, 101, losses(101, 10)); // a worker that has lost the job and does not know it yet

        assertThat(stepsIn(curve)).isEqualTo(62);
        assertThat(all(curve).getLast().max()).isEqualTo(8);
    }

    @Test
    void anOlderAttemptReadLateCountsOnlyUpToWhereTheNewerBegan() {
        LossCurve curve = new LossCurve(1000);
        curve.begin(1, 1);
        curve.begin(2, 61); // the topic of starts was read first
        curve.add(1, 1, losses(1, 100));
        assertThat(stepsIn(curve)).isEqualTo(60);

        curve.add(2, 61, new float[] {7});
        assertThat(all(curve)).hasSize(61);
    }

    @Test
    void anAttemptThatStartsOverLeavesNothingOfTheOlder() {
        LossCurve curve = new LossCurve(8);
        curve.add(1, 1, losses(1, 100));
        curve.add(2, 1, new float[] {7});

        assertThat(all(curve)).containsExactly(new Bucket(1, 1, 1, 7, 7, 7));
    }

    @Test
    void cutsABucketThatANewerAttemptBeginsInside() {
        LossCurve curve = new LossCurve(4);
        curve.add(1, 1, losses(1, 16)); // four steps a bucket
        curve.add(2, 7, losses(7, 1));

        assertThat(all(curve).get(1).firstStep()).isEqualTo(5);
        assertThat(all(curve).get(1).lastStep()).isEqualTo(7);
        assertThat(stepsIn(curve)).isEqualTo(7);
    }

    @Test
    void resamplesInsideTheRange() {
        LossCurve curve = new LossCurve(1000);
        curve.add(1, 1, losses(1, 1000));

        assertThat(curve.between(1, 1000, 100)).hasSize(100);
        assertThat(curve.between(501, 550, 100))
                .hasSize(50)
                .allSatisfy(bucket -> assertThat(bucket.count()).isEqualTo(1));
        assertThat(curve.between(5000, 6000, 100)).isEmpty();
    }

    @Test
    void showsLossesThatAreNoNumbers() {
        LossCurve curve = new LossCurve(2);
        curve.add(1, 1, new float[] {1, 2, Float.NaN, 4});

        assertThat(all(curve)).element(1).satisfies(b -> assertThat(b.max()).isNaN());
    }

    @Test
    void refusesALimitThatCannotBe() {
        assertThatThrownBy(() -> new LossCurve(1))
                .hasMessageContaining("1 buckets")
                .hasMessageContaining("2 or more");
    }
}
