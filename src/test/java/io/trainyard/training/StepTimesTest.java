package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StepTimesTest {
    /// Blocks grow until they take a tenth of a second, so the first ones are short and slow.
    @Test
    void aBlockCountsForEachOfItsSteps() {
        StepTimes times = new StepTimes();
        times.took(1, 220_000);
        times.took(2, 300_000);
        times.took(7, 70_000);
        for (int block = 0; block < 29; block++) {
            times.took(33, 33 * 2_000L);
        }
        assertThat(new double[] {times.median(), times.p95(), times.p99()}).containsExactly(2_000, 2_000, 10_000);
    }

    @Test
    void unevenBlocksHaveThePercentilesOfTheirSteps() {
        Random random = new Random(3);
        StepTimes times = new StepTimes();
        List<Double> steps = new ArrayList<>();
        for (int block = 0; block < 500; block++) {
            int size = 1 + random.nextInt(random.nextInt(100) + 1);
            int micros = 100 + random.nextInt(100_000);
            times.took(size, (long) size * micros);
            steps.addAll(Collections.nCopies(size, (double) micros));
        }
        Collections.sort(steps);
        assertThat(times.median()).isEqualTo(steps.get(Math.ceilDiv(steps.size() * 50, 100) - 1));
        assertThat(times.p95()).isEqualTo(steps.get(Math.ceilDiv(steps.size() * 95, 100) - 1));
        assertThat(times.p99()).isEqualTo(steps.get(Math.ceilDiv(steps.size() * 99, 100) - 1));
    }

    @Test
    void withoutAStepAllIsZero() {
        StepTimes times = new StepTimes();
        assertThat(new double[] {times.median(), times.p95(), times.p99()}).containsOnly(0);
    }

    @Test
    void oneStepIsEveryPercentile() {
        StepTimes times = new StepTimes();
        times.took(1, 700);
        assertThat(new double[] {times.median(), times.p95(), times.p99()}).containsOnly(700);
    }

    @Test
    void oldStepTimesAreForgotten() {
        StepTimes times = new StepTimes();
        for (int i = 0; i < 20_000; i++) {
            times.took(1, 5000);
        }
        for (int i = 0; i < 10_000; i++) {
            times.took(1, 100);
        }
        assertThat(new double[] {times.median(), times.p95(), times.p99()}).containsOnly(100);
    }
}
