package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A job beyond an operator's limit is refused with both numbers and the setting's name.
class JobLimitsTest {
    private static final int STEPS_PER_EPOCH = 16;

    private static JobSpec job(String more) {
        return JobJson.read("""
                {"id": "a", "dataset": "shapes28", "epochs": 10, "batchSize": 64%s,
                 "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 6}]}}""".formatted(more).getBytes(StandardCharsets.UTF_8));
    }

    private static void require(JobLimits limits, String more) {
        JobSpec job = job(more);
        limits.require(job, Network.fit(job.network(), Shape.of(1, 28, 28), 6), STEPS_PER_EPOCH);
    }

    /// 784 weights and a bias for each of 6 outputs.
    @ParameterizedTest
    @CsvSource({
        "4709,64,10,160,4710,4709,PARAMETERS",
        "4710,63,10,160,64,63,BATCH_SIZE",
        "4710,64,9,160,10,9,EPOCHS",
        "4710,64,10,159,160,159,STEPS"
    })
    void reportsTheValueTheLimitAndItsName(
            long parameters, int batchSize, int epochs, long steps, String asked, String allowed, String name) {
        assertThatCode(() -> require(new JobLimits(4710, 64, 10, 160, 0, 1000), ""))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> require(new JobLimits(parameters, batchSize, epochs, steps, 0, 1000), ""))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll(" " + asked + ";", "up to " + allowed + " ", "TRAINYARD_LIMITS_" + name);
    }

    @Test
    void aTimeLimitRequiresMaxMinutes() {
        JobLimits hour = new JobLimits(4710, 64, 10, 160, 60, 1000);
        assertThatCode(() -> require(hour, ", \"stopWhen\": {\"maxMinutes\": 60}"))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> require(hour, ", \"stopWhen\": {\"maxMinutes\": 61}"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll("stopWhen.maxMinutes is 61", "up to 60", "TRAINYARD_LIMITS_MINUTES");
        assertThatThrownBy(() -> require(hour, ""))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll("not given", "up to 60");
    }

    @Test
    void aLimitIsInItsRange() {
        assertThatThrownBy(() -> new JobLimits(1, 1, 0, 1, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("TRAINYARD_LIMITS_EPOCHS is 0", "1 to 100000");
    }
}
