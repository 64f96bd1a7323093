package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.DeviceSpec;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DevicesTest {
    /// @param missing why it is not available; null where it is
    private record Backend(String kind, int rank, @Nullable String missing) implements DeviceBackend {
        @Override
        public Optional<String> whyUnavailable() {
            return Optional.ofNullable(missing);
        }

        @Override
        public List<DeviceInfo> devices() {
            return List.of();
        }

        @Override
        public Device open(DeviceSpec spec) {
            throw new UnsupportedOperationException("only asked about, never opened");
        }
    }

    private static final DeviceBackend BY_NAME = new Backend("reference", 0, null);

    @Test
    void autoChoosesTheFirstThatIsAvailable() {
        assertThat(Devices.choice(List.of(new Backend("cuda", 2, null), new Backend("cpu", 1, null), BY_NAME)))
                .isEqualTo(new DeviceChoice("cuda", "auto prefers it, and it is available"));
    }

    @Test
    void autoSaysWhyNotTheOneBefore() {
        assertThat(Devices.choice(List.of(new Backend("cuda", 2, "no driver"), new Backend("cpu", 1, null), BY_NAME)))
                .isEqualTo(new DeviceChoice("cpu", "cuda is not available: no driver"));
    }

    @Test
    void autoNeverChoosesWhatIsForNamesOnly() {
        assertThatThrownBy(() -> Devices.choice(
                        List.of(new Backend("cuda", 2, "no driver"), new Backend("cpu", 1, "no oneDNN"), BY_NAME)))
                .isInstanceOf(DeviceException.class)
                .hasMessage("no device is available here: cuda is not available: no driver;"
                        + " cpu is not available: no oneDNN; reference is used only when asked for by name");
    }

    @Test
    void backendsComeInTheOrderOfTheirRanks() {
        assertThat(Devices.backends()).extracting(DeviceBackend::rank).isSortedAccordingTo((a, b) -> b - a);
    }
}
