package io.trainyard.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ContainerNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.Page;
import io.trainyard.SeededProperty;
import io.trainyard.Slow;
import io.trainyard.device.RandomNetwork;
import io.trainyard.metrics.YamlFiles;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.NetworkSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/// The command schema and the reader accept and refuse the same jobs, except for rules that a schema cannot
/// express.
class CommandAgreementTest {
    private static final Schemas SCHEMAS = Schemas.in(Schemas.PRESENT);
    private static final JsonMapper MAPPER = new JsonMapper();

    /// Messages of the reader for jobs that the schema accepts, by their names in docs/contract/README.md.
    private static final Map<String, Pattern> UNSAID = Map.of(
            "1.0", Pattern.compile("[-0-9.E,\\[\\]]+(?:;| is given;) (?:it must be|allowed is) a whole number"),
            "milestones", Pattern.compile("each must be larger than the one before"),
            "validation", Pattern.compile("their sum must be below 1"),
            "groups", Pattern.compile("it must be a multiple of groups"),
            "padding", Pattern.compile("allowed is up to half of it"),
            "minVal", Pattern.compile("hardtanh.minVal is .* it must be below it"),
            "std", Pattern.compile("\\d+ means and \\d+ stds"),
            "initFrom", Pattern.compile("the job's own id"),
            "except", Pattern.compile("except is given, but initFrom is missing|continueFrom is"),
            "max", Pattern.compile("sweep.*min is .* (it must be below max|must be above 0)"));

    private static final List<String> ODD = List.of("""
            null | true | false | -1 | 0 | 1 | 2 | 7 | 0.5 | 1.0 | -0.5 | 1e-9 | 2e9 | "" | "a" | "cpu" |
            "same" | "lenet" | "evaluate" | [] | {} | [1, 2] | [2, 1] | [0.5, 0.5] | [null] |
            {"type": "relu"} | {"type": "adam"} | {"type": "mse"} | {"norm": 1} | ["cpu", "cpu"]""".split("\\s*\\|\\s*"));

    /// Their default is the value of another field.
    private static final Set<String> LIKE_ANOTHER = Set.of("layer-maxPool2d.stride", "layer-avgPool2d.stride");

    private static final String JOB = "{\"id\": \"a\", \"dataset\": \"mnist\", \"epochs\": 1}";

    @Provide
    Arbitrary<RandomNetwork> networks() {
        return RandomNetwork.arbitrary();
    }

    @SeededProperty
    void acceptsEachNetworkAndOptimizer(@ForAll("networks") RandomNetwork network) throws IOException {
        ObjectNode job = (ObjectNode) MAPPER.readTree(JOB);
        job.set("network", MAPPER.valueToTree(NetworkSpec.ofLayers(network.layers())));
        job.set("optimizer", MAPPER.valueToTree(network.optimizer()));
        assertThat(reader(job)).isEmpty();
        assertThat(SCHEMAS.mistakes("job-requested", job.toString())).isEmpty();
    }

    /// Jobs with up to two random changes.
    @Test
    void agreesWithTheReader() throws IOException {
        List<JsonNode> jobs = jobs();
        Random random = new Random(1);
        int refused = 0;
        for (int i = 0; i < 1000; i++) {
            JsonNode job = jobs.get(random.nextInt(jobs.size())).deepCopy();
            for (int changes = random.nextInt(3); changes > 0; changes--) {
                change(job, random);
            }
            refused += requireAgreement(job) ? 1 : 0;
        }
        assertThat(refused).isBetween(400, 900);
    }

    /// The examples, and jobs with everything that the examples do not contain.
    private static List<JsonNode> jobs() throws IOException {
        List<JsonNode> jobs = new ArrayList<>();
        for (var example : ContractTest.examples()) {
            if (ContractTest.schema(example).equals("job-requested")) {
                jobs.add(MAPPER.readTree(Files.readAllBytes(example)));
            }
        }
        YamlFiles.read(Path.of("src/test/resources/io/trainyard/contract/kinds.yaml"))
                .forEach(jobs::add);
        return jobs;
    }

    /// Asserts that both agree; returns whether the reader refuses a job.
    private static boolean requireAgreement(JsonNode job) {
        Optional<String> reader = reader(job);
        List<String> schema = SCHEMAS.mistakes("job-requested", job.toString());
        if (reader.isEmpty()) {
            assertThat(schema).as("the reader takes %s", job).isEmpty();
        } else if (schema.isEmpty()) {
            assertThat(UNSAID.values())
                    .as("%s of %s", reader, job)
                    .anyMatch(known -> known.matcher(reader.get()).find());
        }
        return reader.isPresent();
    }

    /// Replaces a value, removes one, or adds an unknown field.
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

    /// The reader's message; empty if it accepts the job.
    private static Optional<String> reader(JsonNode job) {
        try {
            var _ = JobJson.read(job);
            return Optional.empty();
        } catch (InvalidJobException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /// Checks each bound, values next to it and missing fields, for each kind of object in a job.
    @Slow
    @Test
    void hasTheReadersBoundsAndDefaults() throws IOException {
        List<JsonNode> jobs = jobs();
        for (var kind : SCHEMAS.read("job-requested").path("$defs").properties()) {
            JsonNode fields = kind.getValue().path("properties");
            if (fields.isEmpty()) {
                continue;
            }
            List<Place> places = jobs.stream()
                    .flatMap(job -> places(job, JsonPointer.empty()).map(at -> new Place(job, at)))
                    .filter(place -> SCHEMAS.mistakes(
                                    "job-requested.json#/$defs/" + kind.getKey(),
                                    place.object(place.job()).toString())
                            .isEmpty())
                    .toList();
            assertThat(places)
                    .as("%s in kinds.yaml or an example", kind.getKey())
                    .isNotEmpty();
            for (var field : fields.properties()) {
                for (JsonNode odd : atBounds(field.getValue())) {
                    for (Place place : places) {
                        requireAgreement(place.with(field.getKey(), odd));
                    }
                }
                places.stream()
                        .map(place -> place.defaultOf(field.getKey()))
                        .flatMap(Optional::stream)
                        .findFirst()
                        .filter(_ -> !LIKE_ANOTHER.contains(kind.getKey() + "." + field.getKey()))
                        .ifPresent(value -> assertThat(field.getValue().path("default"))
                                .as("default of %s in %s", field.getKey(), kind.getKey())
                                .isEqualTo(value));
            }
        }
    }

    /// An object in a job.
    private record Place(JsonNode job, JsonPointer at) {
        ObjectNode object(JsonNode job) {
            return (ObjectNode) job.at(at);
        }

        JsonNode with(String field, JsonNode value) {
            JsonNode other = job.deepCopy();
            object(other).set(field, value);
            return other;
        }

        /// The reader's default for a missing field, if it is a value or an object.
        Optional<JsonNode> defaultOf(String field) {
            JsonNode other = job.deepCopy();
            var _ = object(other).remove(field);
            if (reader(other).isPresent()) {
                return Optional.empty();
            }
            try {
                JsonNode value =
                        MAPPER.readTree(JobJson.write(JobJson.read(other))).at(at.appendProperty(field));
                return value.isObject() || (value.isValueNode() && !value.isNull() && !value.isMissingNode())
                        ? Optional.of(value)
                        : Optional.empty();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Stream<JsonPointer> places(JsonNode json, JsonPointer at) {
        Stream<JsonPointer> within = json.isArray()
                ? IntStream.range(0, json.size()).boxed().flatMap(i -> places(json.get(i), at.appendIndex(i)))
                : json.propertyStream().flatMap(field -> places(field.getValue(), at.appendProperty(field.getKey())));
        return json.isObject() ? Stream.concat(Stream.of(at), within) : within;
    }

    /// Numbers, texts and lists just inside and just outside a field's bounds.
    private static List<JsonNode> atBounds(JsonNode schema) throws IOException {
        List<String> odd = new ArrayList<>();
        for (String word : List.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")) {
            for (JsonNode bound : schema.findValues(word)) {
                BigDecimal number = bound.decimalValue();
                Stream.of(
                                number,
                                number.add(BigDecimal.ONE),
                                number.subtract(BigDecimal.ONE),
                                BigDecimal.valueOf(Math.nextUp(number.doubleValue())),
                                BigDecimal.valueOf(Math.nextDown(number.doubleValue())))
                        .map(BigDecimal::toPlainString)
                        .forEach(text ->
                                odd.addAll(List.of(text, "[%s]".formatted(text), "[%s, %s]".formatted(text, text))));
            }
        }
        for (String word : List.of("minLength", "maxLength")) {
            for (JsonNode bound : schema.findValues(word)) {
                IntStream.rangeClosed(-1, 1)
                        .map(more -> Math.max(0, bound.asInt() + more))
                        .forEach(length -> odd.add('"' + "a".repeat(length) + '"'));
            }
        }
        return odd.stream().distinct().map(CommandAgreementTest::json).toList();
    }

    private static JsonNode json(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    @Test
    void rulesBeyondTheSchemaAreDocumented() {
        Page page = Page.read("docs/contract/README.md").section("## Rules beyond the schema");
        assertThat(UNSAID.keySet()).allSatisfy(word -> assertThat(page.text()).contains("`" + word));
    }
}
