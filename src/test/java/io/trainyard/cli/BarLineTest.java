package io.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BarLineTest {
    @Test
    void showsLossAccuracyRateAndTimeToGo() {
        assertThat(line(Jobs.whole("a").subList(0, 5)).render(80, false))
                .isEqualTo("a              100% [====================] 20/20 loss 1.0000 acc 0.5000 80 img/s");
        assertThat(line(Jobs.whole("a").subList(0, 4)).render(80, true))
                .isEqualTo("a               50% │█████      │ 10/20 loss 2.0000 acc 0.5000 80 img/s ETA 0:01");
        assertThat(line(Jobs.whole("a")).render(62, false))
                .isEqualTo("a              100% 20/20 loss 1.0000 acc 0.7500 80 img/s done");
    }

    @Test
    void aFinishedJobWithoutStepsIsDone() {
        List<TrainingEvent> evaluation = List.of(new Finished("a", 1, 0, 0.5, 0, 0, 0, 100, "00", null));
        assertThat(line(evaluation).render(62, false))
                .startsWith("a              100% [=")
                .endsWith("=] done");
    }

    @Test
    void saysWhyThereIsNothingToShow() {
        assertThat(line(List.of()).render(80, false)).endsWith("] waiting for a worker");
        assertThat(line(List.of(new Failed("a", 1, "no\u0007memory"))).render(80, false))
                .endsWith("] failed: no?memory");
        assertThat(BarLine.rejected("a", "epochs is 0").render(80, false)).endsWith("] rejected: epochs is 0");
    }

    @Test
    void knowsWhetherAllItsWordsFit() {
        BarLine failed = line(List.of(new Failed("a", 1, "no memory")));
        int width = "a                0% failed: no memory".length();
        assertThat(failed.isWhole(width)).isTrue();
        assertThat(failed.render(width, false)).endsWith("failed: no memory");
        assertThat(failed.isWhole(width - 1)).isFalse();
        assertThat(failed.render(width - 1, false)).doesNotContain("no memory");
        assertThat(BarLine.rejected("a", "x".repeat(1000)).isWhole(2000)).isFalse();
        assertThat(line(Jobs.whole("a")).isWhole(10))
                .as("figures are not words")
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 10, 20, 40, 79, 80, 200})
    void isNeverWiderThanTheTerminal(int width) {
        assertThat(line(Jobs.whole("a")).render(width, true)).hasSizeLessThanOrEqualTo(width);
        assertThat(BarLine.rejected("a".repeat(100), "x".repeat(1000)).render(width, false))
                .hasSizeLessThanOrEqualTo(width);
    }

    @ParameterizedTest
    @CsvSource({"0,0:00", "999999,0:01", "61000000,1:01", "3600000000,1:00:00", "360000000000,100:00:00"})
    void writesTimeAsClocksDo(long micros, String clock) {
        assertThat(BarLine.clock(micros)).isEqualTo(clock);
    }

    private static BarLine line(List<TrainingEvent> events) {
        JobState state = new JobState("a");
        events.forEach(state::apply);
        return BarLine.of(state);
    }
}
