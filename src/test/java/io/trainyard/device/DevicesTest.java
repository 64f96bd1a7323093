package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DevicesTest {
    /// @param missing why the backend is unavailable; null if it is available
    /// @param names of its devices
    private record Backend(String kind, int rank, @Nullable String missing, String... names) implements DeviceBackend {
        @Override
        public Optional<String> whyUnavailable() {
            return Optional.ofNullable(missing);
        }

        @Override
        public List<DeviceInfo> devices() {
            return Stream.of(names)
                    .map(name -> new DeviceInfo(name, "a model", "", 0))
                    .toList();
        }

        @Override
        public String computes(Network network, Precision precision, int batchSize) {
            return kind;
        }

        @Override
        public Device open(DeviceSpec spec) {
            throw new UnsupportedOperationException("opened as " + spec.name());
        }
    }

    private static final DeviceBackend BY_NAME = new Backend("reference", 0, null);

    @Test
    void autoChoosesTheFirstThatIsAvailable() {
        assertThat(Devices.choice(List.of(new Backend("cuda", 2, null), new Backend("cpu", 1, null), BY_NAME)))
                .isEqualTo(new DeviceChoice("cuda", "auto prefers it, and it is available"));
    }

    @Test
    void autoReportsWhyPreferredKindsAreUnavailable() {
        assertThat(Devices.choice(List.of(new Backend("cuda", 2, "no driver"), new Backend("cpu", 1, null), BY_NAME)))
                .isEqualTo(new DeviceChoice("cpu", "cuda is not available: no driver"));
    }

    @Test
    void autoNeverChoosesRankZero() {
        assertThatThrownBy(() -> Devices.choice(
                        List.of(new Backend("cuda", 2, "no driver"), new Backend("cpu", 1, "no oneDNN"), BY_NAME)))
                .isInstanceOf(DeviceException.class)
                .hasMessage("no device is available here: cuda is not available: no driver;"
                        + " cpu is not available: no oneDNN; reference is used only if named");
    }

    @Test
    void rejectsAMissingDeviceNumberAndListsTheOthers() {
        List<DeviceBackend> backends =
                List.of(new Backend("cuda", 2, null, "cuda:0", "cuda:1"), new Backend("cpu", 1, null, "cpu"), BY_NAME);
        assertThatThrownBy(() -> Devices.open(new DeviceSpec("cuda:7"), backends))
                .isInstanceOf(DeviceException.class)
                .hasMessage(
                        "no device \"cuda:7\" here; there is cuda:0, cuda:1: name one of these, or cuda for any that"
                                + " the worker has");
        for (String here : List.of("cuda:1", "cuda", "cpu", "auto")) {
            assertThatThrownBy(() -> Devices.open(new DeviceSpec(here), backends))
                    .hasMessage("opened as " + here);
        }
    }

    @Test
    void anUnavailableKindReportsItsReason() {
        DeviceBackend gone = new Backend("cuda", 2, "no driver");
        assertThatThrownBy(() -> Devices.open(new DeviceSpec("cuda:7"), List.of(gone)))
                .hasMessage("opened as cuda:7");
    }

    @Test
    void aWorkerHasTheKindsOfItsDevice() {
        assertThat(Devices.availableKinds(List.of(new Backend("cuda", 2, null), new Backend("cpu", 1, null), BY_NAME)))
                .containsExactlyInAnyOrder("cuda", "cpu");
        assertThat(Devices.availableKinds(
                        List.of(new Backend("cuda", 2, "no driver"), new Backend("cpu", 1, null), BY_NAME)))
                .containsExactly("cpu");
        assertThat(Devices.kinds(new DeviceSpec("cuda:1"))).containsExactly("cuda");
        assertThat(Devices.kinds(new DeviceSpec("reference"))).containsExactly("reference");
        assertThat(Devices.kinds(DeviceSpec.AUTO)).contains("cpu").doesNotContain("reference");
    }

    @Test
    void backendsComeInTheOrderOfTheirRanks() {
        assertThat(Devices.backends()).extracting(DeviceBackend::rank).isSortedAccordingTo((a, b) -> b - a);
    }
}
