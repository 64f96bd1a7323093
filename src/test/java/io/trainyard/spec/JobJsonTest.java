package io.trainyard.spec;

import static io.trainyard.spec.JobTexts.id;
import static io.trainyard.spec.JobTexts.job;
import static io.trainyard.spec.JobTexts.layers;
import static io.trainyard.spec.JobTexts.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Reads and writes all fields of jobs.
class JobJsonTest {
    static Stream<Arguments> forms() throws IOException {
        return JobTexts.recorded("job-forms.txt");
    }

    /// Each field, layer, optimizer and schedule, with its defaults spelled out.
    @ParameterizedTest
    @MethodSource("forms")
    void writesDefaults(String json, String written) {
        JobSpec job = read(json);
        assertThat(JobJson.write(job)).isEqualTo(written);
        assertThat(JobJson.read(written.getBytes(StandardCharsets.UTF_8))).isEqualTo(job);
    }

    @Test
    void residualsAreNestedUpToABound() {
        assertThat(read(layers(nested(NetworkSpec.MAX_NESTING))).network().layers())
                .hasSize(1);
        String inside = "network.layers[0]" + ".layers[0]".repeat(8) + ".layers";
        assertThatThrownBy(() -> read(layers(nested(9))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(inside + " is nested in more than 8 layers; allowed is up to 8");
        assertThatThrownBy(() -> read(layers(nested(490))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("the command has more than 64 lists and objects within one another; allowed is up to 64");
    }

    private static String nested(int residuals) {
        return "{'layers': [".repeat(residuals) + "{'type': 'relu'}" + "], 'type': 'residual'}".repeat(residuals);
    }

    @ParameterizedTest
    @ValueSource(strings = {"['cuda:0', 'cuda:1']", "['cuda:3', 'cuda:10', 'cuda:0']", "['cpu', 'cpu']"})
    void severalDevicesAreReadAndWrittenInsteadOfOne(String devices) {
        JobSpec job = read(job("'devices': " + devices));
        assertThat(job.allDevices())
                .extracting(DeviceSpec::name)
                .containsExactly(devices.replaceAll("[\\[\\]' ]", "").split(","));
        assertThat(job.device()).isEqualTo(job.allDevices().getFirst());
        String json = JobJson.write(job);
        assertThat(json).contains("\"devices\":[\"").doesNotContain("\"device\"");
        assertThat(JobJson.read(json.getBytes(StandardCharsets.UTF_8))).isEqualTo(job);
        assertThat(read(job("'device': 'cpu'")).allDevices()).containsExactly(new DeviceSpec("cpu"));
        assertThat(JobJson.write(read(job("'device': 'cpu'")))).doesNotContain("devices");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "7", "tudui-1", "a_b-C.d.0.e.f", "0123456789"})
    void usefulIdsAreAllowed(String id) {
        assertThat(read(id("'" + id + "'")).id()).isEqualTo(id);
    }

    @Test
    void theNameOfACheckpointIsBounded() {
        String longest = "a".repeat(100) + "~999999999/" + "9".repeat(18);
        assertThat(CheckpointName.parse("initFrom", longest)).hasToString(longest);
        assertThat(CheckpointName.parse("initFrom", "a~2/best"))
                .isEqualTo(new CheckpointName("a~2", null, true))
                .hasToString("a~2/best");
        assertThatThrownBy(() -> CheckpointName.parse("initFrom", "a" + ".a".repeat(100_000)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll("initFrom is \"a.a.", "at most 130 characters");
    }
}
