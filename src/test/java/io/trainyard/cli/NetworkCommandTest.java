package io.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The output of `network show`; for built-in networks compared with PyTorch (network_shapes.py in
/// src/test/python).
class NetworkCommandTest {
    private static final JsonMapper MAPPER = new JsonMapper();

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final StringWriter errors = new StringWriter();

    static List<String> builtIn() throws IOException {
        return golden().properties().stream().map(Map.Entry::getKey).toList();
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void reportsBuiltInNetworksLikePyTorch(String name) throws IOException {
        JsonNode golden = golden().get(name);
        String input = StreamSupport.stream(golden.get("input").spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.joining("x"));
        JsonNode shown = shown("show", name, "--input", input, "--json");
        assertThat(shown.get("input")).isEqualTo(golden.get("input"));
        assertThat(shown.get("parameters")).isEqualTo(golden.get("parameters"));
        assertThat(shown.get("buffers")).isEqualTo(golden.get("buffers"));
        List<ObjectNode> withParameters = StreamSupport.stream(
                        shown.get("layers").spliterator(), false)
                .filter(layer -> layer.get("parameters").asLong() > 0)
                .map(layer -> ((ObjectNode) layer).without("type"))
                .map(ObjectNode.class::cast)
                .toList();
        assertThat(withParameters)
                .containsExactlyElementsOf(
                        StreamSupport.stream(golden.get("layers").spliterator(), false)
                                .map(ObjectNode.class::cast)
                                .toList());
        assertThat(shown.get("multiplyAdds").asLong())
                .isEqualTo(withParameters.stream()
                        .mapToLong(layer -> layer.get("multiplyAdds").asLong())
                        .sum());
    }

    @Test
    void reportsTheMemoryOfAJobsBatch() throws IOException {
        JsonNode shown = shownOf("""
                {"network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}, "dataset": "shapes28", "epochs": 1,
                 "batchSize": 50, "optimizer": {"type": "adam"}}""", "show", "-", "--json");
        JsonNode memory = shown.get("memoryBytes");
        int parameters = 4 * (784 * 10 + 10);
        int activations = 4 * 50 * (784 + 784 + 10);
        assertThat(memory.get("parameters").asInt()).isEqualTo(parameters);
        assertThat(memory.get("gradients").asInt()).isEqualTo(parameters);
        assertThat(memory.get("optimizerState").asInt()).isEqualTo(2 * parameters);
        assertThat(memory.get("activations").asInt()).isEqualTo(activations);
        assertThat(memory.get("estimate").asInt()).isEqualTo(7 * parameters + 4 * activations);
    }

    @Test
    void listsDevicesThatSupportItAndThoseThatRefuseIt() throws IOException {
        JsonNode wide = shown("show", "resnet18-cifar", "--dataset", "cifar10", "--json");
        assertThat(device(wide, "cpu").get("computes").asText()).startsWith("oneDNN, ");
        assertThat(device(wide, "devices").has("refuses")).isFalse();
        JsonNode narrow = shown("show", "lenet", "--dataset", "shapes32", "--json");
        assertThat(device(narrow, "cpu").get("computes").asText()).startsWith("vector kernels of our own");
        assertThat(device(narrow, "devices").has("refuses")).isFalse();
        JsonNode coarse = shownOf("""
                {"network": "fashion", "dataset": "shapes28", "epochs": 1, "precision": "bf16"}""", "show", "-", "--json");
        assertThat(device(coarse, "reference").get("refuses").asText())
                .isEqualTo("it computes in fp32 only, not in bf16");
        assertThat(device(coarse, "cpu").get("computes").asText()).startsWith("oneDNN, ");
        assertThat(device(coarse, "cuda").has("refuses")).isFalse();
    }

    @Test
    void isATableForPeople() {
        assertThat(run("", "show", "sjnet", "--input", "3x32x32", "--batch-size", "4"))
                .isZero();
        assertThat(written.toString(UTF_8).lines())
                .startsWith(
                        "tudui, samples of 3x32x32, batches of 4",
                        "LAYER    TYPE       OUTPUT    PARAMETERS  BUFFERS  MULTIPLY-ADDS",
                        "model.0  conv2d     32x32x32       2,432        0      2,457,600")
                .anyMatch(line -> line.matches("all +145,578 +0 +12,354,176"))
                .anyMatch(line -> line.startsWith("memory: parameters 0.6 MiB, gradients 0.6 MiB, optimizer 0.0 MiB, "))
                .anyMatch(line -> line.startsWith("reference  plain loops"));
    }

    @Test
    void invalidNetworksAreBadInput() {
        assertThat(run("", "draw", "lenet")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("", "show", "lenet")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("", "show", "lenet", "--input", "3*32*32")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("", "show", "lenet", "--input", "3x9x9")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("", "show", "no-such-file.json")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("", "show", "lenet", "--dataset", "shapes64")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(errors.toString())
                .contains(
                        "allowed is show",
                        "--dataset D or --input SHAPE",
                        "--input is \"3*32*32\"",
                        "layer \"conv2\"",
                        "no-such-file.json: there is no such file",
                        "the dataset has 6 classes");
        assertThat(written.toString(UTF_8)).isEmpty();
    }

    private static JsonNode golden() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(NetworkCommandTest.class.getResourceAsStream("/golden/network-shapes.json"))) {
            return MAPPER.readTree(in);
        }
    }

    private static JsonNode device(JsonNode shown, String name) {
        return StreamSupport.stream(shown.get("devices").spliterator(), false)
                .filter(device -> device.get("device").asText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private JsonNode shown(String... arguments) throws IOException {
        return shownOf("", arguments);
    }

    private JsonNode shownOf(String standardInput, String... arguments) throws IOException {
        written.reset();
        assertThat(run(standardInput, arguments)).as(errors.toString()).isZero();
        return MAPPER.readTree(written.toByteArray());
    }

    private int run(String standardInput, String... arguments) {
        PrintStream out = new PrintStream(written, true, UTF_8);
        Terminal terminal = new Terminal(new ByteArrayInputStream(standardInput.getBytes(UTF_8)), out, out, false);
        return TestCommands.commandLine(new NetworkCommand(), terminal)
                .setErr(new PrintWriter(errors, true))
                .execute(arguments);
    }
}
