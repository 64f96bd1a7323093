package io.trainyard.cli.terminal;

import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.whole;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BarLineTest {
    @Test
    void showsLossAccuracyRateAndTimeToGo() {
        assertThat(line(whole("a").subList(0, 5)).render(80, false))
                .isEqualTo("a              100% [==================] 20/20 loss 1.0000 acc 0.5000 6543 img/s");
        assertThat(line(whole("a").subList(0, 4)).render(80, true))
                .isEqualTo("a               50% │████     │ 10/20 loss 2.0000 acc 0.5000 6543 img/s ETA 0:01");
        assertThat(line(whole("a")).render(64, false))
                .isEqualTo("a              100% 20/20 loss 1.0000 acc 0.7500 6543 img/s done");
    }

    @Test
    void showsTheMeanLossBesideTheStepsOwn() {
        JobState state = new JobState("a");
        whole("a").forEach(state::apply);
        String line = BarLine.of(state, 1.25).render(100, false);
        assertThat(line).contains("20/20 loss 1.0000 mean 1.2500 acc 0.7500 6543 img/s done");
        assertThat(BarLine.of(state, 1.25).render(76, false))
                .as("where there is no room for it")
                .contains("20/20 loss 1.0000 acc 0.7500 6543 img/s done");
    }

    @Test
    void aFinishedJobWithoutStepsIsDone() {
        List<TrainingEvent> evaluation = List.of(finished("a", 1, 0));
        assertThat(line(evaluation).render(62, false))
                .startsWith("a              100% [=")
                .endsWith("=] done");
    }

    @Test
    void showsTheStateBeforeTheFirstStep() {
        assertThat(line(List.of()).render(80, false)).endsWith("] waiting for a worker");
        assertThat(line(List.of(failed("a", 1, "no\u0007memory"))).render(80, false))
                .endsWith("] failed: no?memory");
        assertThat(rejected("a", "epochs is 0").render(80, false)).endsWith("] rejected: epochs is 0");
    }

    @Test
    void knowsWhetherItsTextFits() {
        BarLine failed = line(List.of(failed("a", 1, "no memory")));
        int width = "a                0% failed: no memory".length();
        assertThat(failed.isWhole(width)).isTrue();
        assertThat(failed.render(width, false)).endsWith("failed: no memory");
        assertThat(failed.isWhole(width - 1)).isFalse();
        assertThat(failed.render(width - 1, false)).doesNotContain("no memory");
        assertThat(rejected("a", "x".repeat(1000)).isWhole(2000)).isFalse();
        assertThat(line(whole("a")).isWhole(10)).as("figures are not words").isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 10, 20, 40, 79, 80, 200})
    void isNeverWiderThanTheTerminal(int width) {
        assertThat(line(whole("a")).render(width, true)).hasSizeLessThanOrEqualTo(width);
        assertThat(rejected("a".repeat(100), "x".repeat(1000)).render(width, false))
                .hasSizeLessThanOrEqualTo(width);
    }

    private static BarLine rejected(String job, String reason) {
        JobState state = new JobState(job);
        state.apply(new Rejected(job, null, reason, 1));
        return BarLine.of(state, null);
    }

    private static BarLine line(List<TrainingEvent> events) {
        JobState state = new JobState("a");
        events.forEach(state::apply);
        return BarLine.of(state, null);
    }
}
