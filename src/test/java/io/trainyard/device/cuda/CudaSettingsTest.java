package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.DeviceException;
import io.trainyard.device.cuda.CudaSettings.Name;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CudaSettingsTest {
    private static CudaSettings with(Name name, String value) {
        return CudaSettings.of(each -> each == name ? value : "");
    }

    @Test
    void theDeviceChoosesByDefault() {
        assertThat(CudaSettings.of(_ -> "")).isEqualTo(new CudaSettings(OptionalInt.empty(), true, true));
    }

    @Test
    void readsProperties() {
        System.setProperty("cuda.steps-per-graph", "4");
        System.setProperty("cuda.second-stream", "off");
        try {
            assertThat(CudaSettings.ofProcess()).isEqualTo(new CudaSettings(OptionalInt.of(4), false, true));
        } finally {
            System.clearProperty("cuda.steps-per-graph");
            System.clearProperty("cuda.second-stream");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "65", "many", "-1"})
    void rejectsInvalidStepsAndNamesValidOnes(String steps) {
        assertThatThrownBy(() -> with(Name.STEPS_PER_GRAPH, steps))
                .isInstanceOf(DeviceException.class)
                .hasMessage(
                        "CUDA_STEPS_PER_GRAPH is \"" + steps
                                + "\"; allowed is 1 to 64, how many steps are recorded as one CUDA graph. Leave it out to have the device choose");
    }

    @Test
    void aSwitchIsOnOrOff() {
        assertThat(with(Name.SECOND_STREAM, "on").forks()).isTrue();
        assertThat(with(Name.SECOND_STREAM, "off").forks()).isFalse();
        assertThat(with(Name.TIMED_ALGORITHMS, "off").timesAlgorithms()).isFalse();
        assertThatThrownBy(() -> with(Name.SECOND_STREAM, "no"))
                .isInstanceOf(DeviceException.class)
                .hasMessage("CUDA_SECOND_STREAM is \"no\"; allowed is on or off. Leave it out for on");
    }
}
