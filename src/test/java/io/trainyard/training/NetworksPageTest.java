package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.data.Dataset;
import io.trainyard.data.Datasets;
import io.trainyard.data.PixelScale;
import io.trainyard.device.Devices;
import io.trainyard.device.Initializer;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.BuiltInNetworks;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ScheduleSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Holds docs/networks.md against the code: its examples train, its tables tell all fields and their defaults,
/// and it leaves nothing out.
class NetworksPageTest {
    private static final Path PAGE = Path.of("docs/networks.md");
    private static final Pattern EXAMPLE = Pattern.compile("```json\n(.*?)```", Pattern.DOTALL);
    private static final Pattern SECTION = Pattern.compile("### `(\\w+)`\n(.*?)(?=\n##)", Pattern.DOTALL);
    private static final Pattern ROW = Pattern.compile("\\| `(\\w+)` \\| ([^|]+) \\|");
    private static final int MOST_STEPS = 3;
    private static final int IMAGES = 210;

    private static final Map<String, Dataset> DATASETS = new ConcurrentHashMap<>();

    /// What the page says about one layer, optimizer, schedule or augmentation.
    ///
    /// @param defaults by field, as they stand on the page
    record Section(String name, Map<String, String> defaults, JobSpec example) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<JobSpec> examples() throws IOException {
        return EXAMPLE.matcher(page())
                .results()
                .map(found -> job(found.group(1)))
                .toList();
    }

    static List<Section> sections() throws IOException {
        return SECTION.matcher(page())
                .results()
                .map(found -> {
                    Map<String, String> defaults = new LinkedHashMap<>();
                    ROW.matcher(found.group(2)).results().forEach(row -> defaults.put(row.group(1), row.group(2)));
                    Matcher example = EXAMPLE.matcher(found.group(2));
                    assertThat(example.find())
                            .as("section %s has an example", found.group(1))
                            .isTrue();
                    return new Section(found.group(1), defaults, job(example.group(1)));
                })
                .toList();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyExampleTrains(JobSpec job) {
        Dataset dataset = DATASETS.computeIfAbsent(job.dataset().name(), NetworksPageTest::part);
        Network network = Network.fit(job.network(), dataset.shape(), dataset.classes());
        Workload workload = new Workload(
                network,
                job.optimizer(),
                job.batchSize(),
                dataset,
                PixelScale.of(dataset.shape().size(0), job.dataset().normalize()),
                Objects.requireNonNullElse(job.dataset().augment(), AugmentSpec.NONE),
                job.precision(),
                0);
        try (LearningSession session = Devices.open(new DeviceSpec("cpu")).open(workload)) {
            TorchRandom random = new TorchRandom(job.seed());
            Parameters initial = Initializer.initial(network, random);
            session.load(new SessionState(initial, Parameters.NONE));
            int steps = workload.stepsPerEpoch();
            double[] rates = job.schedule().learningRates(job.optimizer().learningRate(), 0, steps, job.epochs());
            session.beginEpoch(EpochDraws.train(workload, job.shuffle(), rates, random), 0);
            for (float loss : session.advance(Math.min(MOST_STEPS, steps))) {
                assertThat(loss).isBetween(0.1f, 10f);
            }
            assertThat(session.save().model().sha256()).isNotEqualTo(initial.sha256());
            assertThat(session.evaluate().accuracy()).isBetween(0.0, 1.0);
        }
    }

    @ParameterizedTest
    @MethodSource("sections")
    void everyFieldHasTheDefaultOfThePage(Section section) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode job = (ObjectNode) mapper.readTree(JobJson.write(section.example()));
        ObjectNode part = find(job, section.name());
        section.defaults().forEach((field, value) -> {
            if (!value.equals("must be given")) {
                part.remove(field);
            }
        });
        JsonNode complete = find(mapper.readTree(JobJson.write(JobJson.read(job))), section.name());
        List<String> fields = new ArrayList<>();
        complete.fieldNames().forEachRemaining(fields::add);
        fields.removeAll(List.of("type", "name"));
        assertThat(section.defaults().keySet()).containsExactlyInAnyOrderElementsOf(fields);
        for (var row : section.defaults().entrySet()) {
            String value = row.getValue();
            if (value.startsWith("as `")) {
                assertThat(complete.get(row.getKey())).isEqualTo(complete.get(value.substring(4, value.length() - 1)));
            } else if (!value.equals("must be given")) {
                JsonNode written = mapper.readTree(value.substring(1, value.length() - 1));
                assertThat(comparable(complete.get(row.getKey())))
                        .as("the default of %s", row.getKey())
                        .isEqualTo(comparable(written));
            }
        }
    }

    /// 25 and 25.0 are the same.
    private static Object comparable(JsonNode value) {
        return value.isNumber() ? value.doubleValue() : value;
    }

    @Test
    void nothingIsLeftOut() throws IOException {
        List<String> told = sections().stream().map(Section::name).toList();
        assertThat(told)
                .containsExactlyInAnyOrderElementsOf(Stream.of(
                                types(LayerSpec.class),
                                types(OptimizerSpec.class),
                                types(ScheduleSpec.class),
                                Arrays.stream(AugmentSpec.class.getRecordComponents())
                                        .map(field -> field.getName()))
                        .flatMap(names -> names)
                        .toList());
        assertThat(examples().stream().map(job -> String.valueOf(job.network().name())))
                .containsAll(BuiltInNetworks.names());
    }

    private static Stream<String> types(Class<?> type) {
        JsonSubTypes types = Objects.requireNonNull(type.getAnnotation(JsonSubTypes.class));
        return Arrays.stream(types.value()).map(JsonSubTypes.Type::name);
    }

    /// The first object of that type, or under that field.
    private static ObjectNode find(JsonNode json, String name) {
        return Stream.concat(
                        Stream.of(json)
                                .filter(node -> node.path("type").asText().equals(name)),
                        json.findParents("type").stream()
                                .filter(node -> node.get("type").asText().equals(name)))
                .findFirst()
                .map(node -> (ObjectNode) node)
                .orElseGet(() -> (ObjectNode) json.findValue(name));
    }

    private static Dataset part(String name) {
        Dataset whole = Datasets.open(Path.of("no-folder"), name);
        return new Dataset(
                name, whole.shape(), whole.classes(), first(whole.train(), IMAGES), first(whole.test(), IMAGES / 7));
    }

    private static Dataset.Split first(Dataset.Split split, int images) {
        int bytes = split.pixels().length / split.size();
        return new Dataset.Split(Arrays.copyOf(split.pixels(), images * bytes), Arrays.copyOf(split.labels(), images));
    }

    /// As `./trainyard train` reads a file: a job without an id gets one.
    private static JobSpec job(String json) {
        String named = json.replaceFirst("\\{", "{\"id\": \"example\", ");
        return JobJson.read(named.getBytes(StandardCharsets.UTF_8));
    }

    private static String page() throws IOException {
        return Files.readString(PAGE) + "\n##";
    }
}
