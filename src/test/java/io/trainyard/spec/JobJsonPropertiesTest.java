package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.SeededProperty;
import io.trainyard.device.RandomNetwork;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;

class JobJsonPropertiesTest {
    private static final String JOB =
            "{\"id\": \"a\", \"network\": \"lenet\", \"dataset\": \"mnist\", \"epochs\": 1, \"seed\": %d}";

    @Provide
    Arbitrary<RandomNetwork> networks() {
        return RandomNetwork.arbitrary();
    }

    /// Reading a written command gives the same command.
    @SeededProperty
    void readsItsOwnOutput(@ForAll("networks") RandomNetwork network, @ForAll long seed) throws IOException {
        JobSpec job = JobJson.read(JOB.formatted(seed).getBytes(StandardCharsets.UTF_8));
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode json = (ObjectNode) mapper.readTree(JobJson.write(job));
        json.set("network", mapper.valueToTree(NetworkSpec.ofLayers(network.layers())));
        json.set("optimizer", mapper.valueToTree(network.optimizer()));
        AugmentSpec augment = network.augment().isNone() ? null : network.augment();
        json.set("dataset", mapper.valueToTree(new DatasetSpec("mnist", null, augment)));
        JobSpec read = JobJson.read(json);
        assertThat(read.network().layers()).isEqualTo(network.layers());
        assertThat(read.optimizer()).isEqualTo(network.optimizer());
        assertThat(read.dataset().augment()).isEqualTo(augment);
        assertThat(read.seed()).isEqualTo(seed);
        assertThat(JobJson.read(JobJson.write(read).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(read);
    }
}
