package io.trainyard.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ContainerNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.Page;
import io.trainyard.SeededProperty;
import io.trainyard.device.RandomNetwork;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.NetworkSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/// The schema of commands takes what the reader takes, and refuses what the reader refuses, but for what it cannot say.
class CommandAgreementTest {
    private static final Schemas SCHEMAS = Schemas.in(Schemas.PRESENT);
    private static final JsonMapper MAPPER = new JsonMapper();

    /// What the reader says of jobs that the schema takes, by the words that docs/contract/README.md has for it.
    private static final Map<String, Pattern> UNSAID = Map.of(
            "1.0", Pattern.compile("[-0-9.E,\\[\\]]+(?:;| is given;) (?:it must be|allowed is) a whole number"),
            "milestones", Pattern.compile("each must be larger than the one before"),
            "groups", Pattern.compile("it must be a multiple of groups"),
            "padding", Pattern.compile("allowed is up to half of it"),
            "minVal", Pattern.compile("hardtanh.minVal is .* it must be below it"),
            "std", Pattern.compile("\\d+ means and \\d+ stds"),
            "initFrom", Pattern.compile("the job's own id"),
            "max", Pattern.compile("sweep.*min is .* (it must be below max|must be above 0)"));

    private static final List<String> ODD = List.of(
            "null",
            "true",
            "false",
            "-1",
            "0",
            "1",
            "2",
            "7",
            "0.5",
            "1.0",
            "-0.5",
            "1e-9",
            "2e9",
            "\"\"",
            "\"a\"",
            "\"cpu\"",
            "\"same\"",
            "\"lenet\"",
            "\"evaluate\"",
            "[]",
            "{}",
            "[1, 2]",
            "[2, 1]",
            "[0.5, 0.5]",
            "[null]",
            "{\"type\": \"relu\"}",
            "{\"type\": \"adam\"}",
            "{\"type\": \"mse\"}",
            "{\"norm\": 1}",
            "[\"cpu\", \"cpu\"]");

    private static final String JOB = "{\"id\": \"a\", \"dataset\": \"mnist\", \"epochs\": 1}";

    @Provide
    Arbitrary<RandomNetwork> networks() {
        return RandomNetwork.arbitrary();
    }

    @SeededProperty
    void takesEachNetworkAndOptimizer(@ForAll("networks") RandomNetwork network) throws IOException {
        ObjectNode job = (ObjectNode) MAPPER.readTree(JOB);
        job.set("network", MAPPER.valueToTree(NetworkSpec.ofLayers(network.layers())));
        job.set("optimizer", MAPPER.valueToTree(network.optimizer()));
        assertThat(reader(job)).isEmpty();
        assertThat(SCHEMAS.mistakes("job-requested", job.toString())).isEmpty();
    }

    /// Jobs, and those in which one thing or two are other than they were.
    @Test
    void agreesWithTheReader() throws IOException {
        List<JsonNode> jobs = new ArrayList<>();
        for (var example : ContractTest.examples()) {
            if (ContractTest.schema(example).equals("job-requested")) {
                jobs.add(MAPPER.readTree(Files.readAllBytes(example)));
            }
        }
        jobs.add(MAPPER.readTree(ALL_KINDS));
        Random random = new Random(1);
        int refused = 0;
        for (int i = 0; i < 1000; i++) {
            JsonNode job = jobs.get(random.nextInt(jobs.size())).deepCopy();
            for (int changes = random.nextInt(3); changes > 0; changes--) {
                change(job, random);
            }
            Optional<String> reader = reader(job);
            List<String> schema = SCHEMAS.mistakes("job-requested", job.toString());
            refused += reader.isPresent() ? 1 : 0;
            if (reader.isEmpty()) {
                assertThat(schema).as("the reader takes %s", job).isEmpty();
            } else if (schema.isEmpty()) {
                assertThat(UNSAID.values())
                        .as("%s of %s", reader, job)
                        .anyMatch(known -> known.matcher(reader.get()).find());
            }
        }
        assertThat(refused).isBetween(500, 900);
    }

    /// Has what the examples have not.
    private static final String ALL_KINDS = """
            {"id": "all", "dataset": {"name": "mine", "colors": "grey", "resize": 32, "centerCrop": [28, 28], "split": {"test": 0.2}},
             "epochs": 9, "network": {"layers": [
              {"type": "avgPool2d", "kernel": 2}, {"type": "batchNorm1d"}, {"type": "layerNorm", "normalizedShape": [4]},
              {"type": "layerNorm2d"}, {"type": "leakyRelu"}, {"type": "softplus"}, {"type": "hardtanh", "minVal": 0},
              {"type": "upsample", "size": [2, 2]}, {"type": "dropout2d"}, {"type": "identity"}]},
             "optimizer": {"type": "rmsprop", "momentum": 0.5},
             "schedule": {"type": "warmup", "steps": 3, "then": {"type": "oneCycle", "maxLearningRate": 1, "cycleMomentum": true}},
             "clipGradients": {"value": 1}, "loss": {"type": "crossEntropy", "classWeights": [1, 2]}, "accumulateSteps": 2,
             "checkpointEverySteps": 5, "checkpointEverySeconds": 60, "initFrom": "other/12", "device": "cuda:1"}""";

    /// Somewhere another value, one thing less, or a field that there is not.
    private static void change(JsonNode job, Random random) throws IOException {
        List<JsonNode> places = containers(job).toList();
        JsonNode place = places.get(random.nextInt(places.size()));
        JsonNode odd = MAPPER.readTree(ODD.get(random.nextInt(ODD.size())));
        if (place.isEmpty() || random.nextInt(12) == 0) {
            switch (place) {
                case ObjectNode object -> object.set(random.nextBoolean() ? "momentum" : "of", odd);
                case ArrayNode list -> list.add(odd);
                default -> throw new IllegalStateException("neither");
            }
            return;
        }
        int at = random.nextInt(place.size());
        boolean remove = random.nextInt(3) == 0;
        switch (place) {
            case ObjectNode object -> {
                String name = fieldAt(object, at);
                var _ = remove ? object.remove(name) : object.set(name, odd);
            }
            case ArrayNode list -> {
                var _ = remove ? list.remove(at) : list.set(at, odd);
            }
            default -> throw new IllegalStateException("neither");
        }
    }

    private static String fieldAt(ObjectNode object, int at) {
        return object.propertyStream().map(Map.Entry::getKey).toList().get(at);
    }

    private static Stream<JsonNode> containers(JsonNode json) {
        return json instanceof ContainerNode<?>
                ? Stream.concat(Stream.of(json), json.valueStream().flatMap(CommandAgreementTest::containers))
                : Stream.empty();
    }

    /// What is wrong with it.
    private static Optional<String> reader(JsonNode job) {
        try {
            var _ = JobJson.read(job);
            return Optional.empty();
        } catch (InvalidJobException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    @Test
    void whatTheSchemaCannotSayIsWrittenDown() {
        Page page = Page.read("docs/contract/README.md").section("## What a schema cannot say");
        assertThat(UNSAID.keySet()).allSatisfy(word -> assertThat(page.text()).contains("`" + word));
    }
}
