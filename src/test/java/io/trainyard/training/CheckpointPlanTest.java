package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.Progress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CheckpointPlanTest {
    @Test
    void byDefaultAfterEachEpoch() {
        CheckpointPlan plan = plan("");
        assertThat(plan.isDue(at(1, 0, 10))).isTrue();
        assertThat(plan.isDue(at(1, 3, 13))).isFalse();
        assertThat(plan.isDueAfter(Long.MAX_VALUE)).isFalse();
        assertThat(plan.stepsUntilDue(at(1, 3, 13), 7)).isEqualTo(7);
    }

    @Test
    void isDueAfterTheRequestedEpochs() {
        CheckpointPlan plan = plan(", \"checkpointEveryEpochs\": 3");
        assertThat(plan.isDue(at(2, 0, 20))).isFalse();
        assertThat(plan.isDue(at(3, 0, 30))).isTrue();
    }

    @Test
    void isDueAfterTheRequestedSteps() {
        CheckpointPlan plan = plan(", \"checkpointEveryEpochs\": 3, \"checkpointEverySteps\": 8");
        assertThat(plan.isDue(at(0, 8, 8))).isTrue();
        assertThat(plan.isDue(at(1, 6, 16))).isTrue();
        assertThat(plan.isDue(at(1, 7, 17))).isFalse();
        assertThat(plan.isDue(at(4, 0, 40))).as("an epoch's end is a step, too").isTrue();
        assertThat(plan.stepsUntilDue(at(1, 3, 13), 7)).isEqualTo(3);
        assertThat(plan.stepsUntilDue(at(1, 6, 16), 4))
                .as("the epoch ends before")
                .isEqualTo(4);
        assertThat(plan.stepsUntilDue(at(0, 0, 0), 10)).isEqualTo(8);
    }

    @Test
    void isDueAfterTheRequestedSeconds() {
        CheckpointPlan plan = plan(", \"checkpointEverySeconds\": 30");
        assertThat(plan.isDueAfter(TimeUnit.SECONDS.toNanos(30) - 1)).isFalse();
        assertThat(plan.isDueAfter(TimeUnit.SECONDS.toNanos(30))).isTrue();
    }

    private static CheckpointPlan plan(String fields) {
        return new CheckpointPlan(SmallJobs.job("a", "\"epochs\": 5" + fields));
    }

    private static Progress at(int epoch, int stepOfEpoch, long step) {
        return new Progress(epoch, stepOfEpoch, step, new long[0], 0.5, 0.5, 0, 0, 1, 1);
    }
}
