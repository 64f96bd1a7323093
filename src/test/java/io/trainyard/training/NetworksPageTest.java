package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.Page;
import io.trainyard.Slow;
import io.trainyard.data.DataRoot;
import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.data.Samples;
import io.trainyard.data.Targets;
import io.trainyard.device.Devices;
import io.trainyard.device.Evaluation;
import io.trainyard.device.Initializer;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.BuiltInNetworks;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ScheduleSpec;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks docs/reference/networks.md against the code: its examples train, its tables have all fields with their
/// defaults, and every layer, optimizer, schedule and augmentation is present.
@Slow
class NetworksPageTest {
    private static final Page PAGE = Page.read("docs/reference/networks.md");
    private static final Pattern BOUNDS = Pattern.compile("([\\d,.e-]+) to (below )?([\\d,.e]+)");
    private static final BigDecimal NEARLY_ONE = new BigDecimal("0.999");
    private static final String ONE_OF_THESE = "one of these"; // replaces the default
    private static final int MOST_STEPS = 3;
    private static final int IMAGES = 210;

    private static final Map<String, Dataset> DATASETS = new ConcurrentHashMap<>();

    /// The page's section about one layer, optimizer, schedule or augmentation.
    ///
    /// @param defaults by field, as on the page
    /// @param allowed by field, as on the page
    record Section(String name, Map<String, String> defaults, Map<String, String> allowed, JobSpec example) {
        @Override
        public String toString() {
            return name;
        }
    }

    /// Of this page, and of the one on jobs those that train.
    static List<JobSpec> examples() {
        return Stream.concat(
                        PAGE.code("json").stream().map(NetworksPageTest::job),
                        Page.read("docs/reference/jobs.md").code("json").stream()
                                .map(json -> JobJson.read(json.getBytes(StandardCharsets.UTF_8)))
                                .filter(job -> job.kind() == JobKind.TRAIN))
                .toList();
    }

    static List<Section> sections() {
        List<Section> sections = new ArrayList<>();
        PAGE.sections(3).forEach((title, page) -> {
            Map<String, String> defaults = new LinkedHashMap<>();
            Map<String, String> allowed = new LinkedHashMap<>();
            for (List<String> row : page.hasTable() ? page.table() : List.<List<String>>of()) {
                String field = Page.code(row, 0).getFirst();
                defaults.put(field, row.get(1));
                allowed.put(field, row.get(2));
            }
            assertThat(page.code("json")).as("the example of %s", title).isNotEmpty();
            JobSpec example = job(page.code("json").getFirst());
            for (String name : Page.code(List.of(title), 0)) {
                sections.add(new Section(name, defaults, allowed, example));
            }
        });
        return sections;
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyExampleTrains(JobSpec job) {
        Dataset dataset = DATASETS.computeIfAbsent(job.dataset().name(), NetworksPageTest::part);
        Network network = Network.of(job, dataset.shape(), dataset.outputs());
        Workload workload = new Workload(
                network,
                job.loss(),
                job.optimizer(),
                job.loop(),
                job.batchSize(),
                dataset,
                PixelScale.of(dataset.shape(), job.dataset().normalize()),
                Objects.requireNonNullElse(job.dataset().augment(), AugmentSpec.NONE),
                job.precision(),
                0,
                true);
        try (LearningSession session = Devices.open(new DeviceSpec("cpu")).open(workload)) {
            TorchRandom random = new TorchRandom(job.seed());
            Parameters initial = Initializer.initial(network, random);
            session.load(new SessionState(initial, Parameters.NONE));
            int steps = workload.stepsPerEpoch();
            session.beginEpoch(EpochDraws.train(workload, job, StepRates.of(job, workload, 0), random), 0);
            for (float loss : session.advance(Math.min(Math.max(MOST_STEPS, job.accumulateSteps()), steps))) {
                assertThat(loss).isBetween(0.1f, 10f);
            }
            assertThat(session.save().model().sha256()).isNotEqualTo(initial.sha256());
            Evaluation test = session.evaluate();
            assertThat(test.isRegression() ? test.meanAbsoluteError() : test.accuracy())
                    .isBetween(0.0, 1.0);
        }
    }

    @ParameterizedTest
    @MethodSource("sections")
    void everyFieldHasTheDefaultOfThePage(Section section) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode job = (ObjectNode) mapper.readTree(JobJson.write(section.example()));
        ObjectNode part = find(job, section.name());
        List<String> withoutDefault = new ArrayList<>();
        section.defaults().forEach((field, value) -> {
            if (value.equals("none")) {
                assertThat(part.has(field)).as("the example has %s", field).isTrue();
                withoutDefault.add(field);
            }
            if (value.equals(ONE_OF_THESE) && !part.has(field)) {
                withoutDefault.add(field);
            }
            if (!value.equals("must be given") && !value.equals(ONE_OF_THESE)) {
                part.remove(field);
            }
        });
        JsonNode complete = find(mapper.readTree(JobJson.write(JobJson.read(job))), section.name());
        List<String> fields = new ArrayList<>();
        complete.fieldNames().forEachRemaining(fields::add);
        fields.removeAll(List.of("type", "name"));
        assertThat(withoutDefault).noneMatch(fields::contains);
        fields.addAll(withoutDefault);
        assertThat(section.defaults().keySet()).containsExactlyInAnyOrderElementsOf(fields);
        for (var row : section.defaults().entrySet()) {
            String value = row.getValue();
            if (value.startsWith("as `")) {
                assertThat(complete.get(row.getKey())).isEqualTo(complete.get(value.substring(4, value.length() - 1)));
            } else if (!List.of("must be given", "none", ONE_OF_THESE).contains(value)) {
                JsonNode written = mapper.readTree(value.substring(1, value.length() - 1));
                assertThat(comparable(complete.get(row.getKey())))
                        .as("the default of %s", row.getKey())
                        .isEqualTo(comparable(written));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("sections")
    void numbersHaveTheBoundsOfThePage(Section section) throws IOException {
        for (var row : section.allowed().entrySet()) {
            Matcher bounds = BOUNDS.matcher(row.getValue());
            if (bounds.lookingAt()) {
                BigDecimal low = new BigDecimal(bounds.group(1).replace(",", ""));
                BigDecimal high = new BigDecimal(bounds.group(3).replace(",", ""));
                boolean below = bounds.group(2) != null;
                requireRefused(section, row.getKey(), low.subtract(BigDecimal.ONE));
                requireRefused(section, row.getKey(), below ? high : high.add(BigDecimal.ONE));
                requireTaken(section, row.getKey(), low);
                if (!row.getValue().contains(";")) { // a second rule follows
                    requireTaken(section, row.getKey(), below ? high.multiply(NEARLY_ONE) : high);
                }
            } else {
                assertThat(row.getValue()).as(row.getKey()).containsPattern("true or false|`|a list|numbers");
            }
        }
    }

    private static void requireTaken(Section section, String field, BigDecimal value) throws IOException {
        JsonNode job = with(section, field, value);
        assertThatCode(() -> JobJson.read(job)).as("%s is %s", field, value).doesNotThrowAnyException();
    }

    private static void requireRefused(Section section, String field, BigDecimal value) throws IOException {
        JsonNode job = with(section, field, value);
        assertThatThrownBy(() -> JobJson.read(job))
                .as("%s is %s", field, value)
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("allowed is");
    }

    /// The example with that field and the required fields only.
    private static JsonNode with(Section section, String field, BigDecimal value) throws IOException {
        JsonNode job = new ObjectMapper().readTree(JobJson.write(section.example()));
        ObjectNode part = find(job, section.name());
        section.defaults().forEach((other, standard) -> {
            if (!standard.equals("must be given")) {
                part.remove(other);
            }
        });
        part.set(field, DecimalNode.valueOf(value));
        if (value.stripTrailingZeros().scale() <= 0) {
            part.put(field, value.longValueExact());
        }
        return job;
    }

    /// Makes 25 and 25.0 equal.
    private static Object comparable(JsonNode value) {
        return value.isNumber() ? value.doubleValue() : value;
    }

    @Test
    void nothingIsLeftOut() {
        List<String> published = sections().stream().map(Section::name).toList();
        assertThat(published)
                .containsExactlyInAnyOrderElementsOf(Stream.of(
                                types(LayerSpec.class),
                                types(LossSpec.class),
                                types(OptimizerSpec.class),
                                types(ScheduleSpec.class),
                                Arrays.stream(AugmentSpec.class.getRecordComponents())
                                        .map(field -> field.getName()))
                        .flatMap(names -> names)
                        .toList());
        assertThat(examples().stream().map(job -> String.valueOf(job.network().name())))
                .containsAll(BuiltInNetworks.names().stream()
                        .filter(name -> !name.matches("mobilenet-v2|resnet[0-9]+")) // for photos
                        .toList());
    }

    private static Stream<String> types(Class<?> type) {
        JsonSubTypes types = Objects.requireNonNull(type.getAnnotation(JsonSubTypes.class));
        return Arrays.stream(types.value()).map(JsonSubTypes.Type::name);
    }

    /// The first object with that type or under that field.
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
        if (name.equals("sensors")) {
            return new Dataset(name, Shape.of(8), 2, sensors(IMAGES), sensors(IMAGES / 7));
        }
        Dataset whole = new DataRoot(Path.of("no-folder")).open(DatasetSpec.named(name));
        return new Dataset(
                name,
                whole.shape(),
                whole.outputs(),
                whole.train().slice(0, IMAGES, whole.shape()),
                whole.test().slice(0, IMAGES / 7, whole.shape()));
    }

    /// Rows of features with two targets each: their mean and the first feature.
    private static Dataset.Split sensors(int count) {
        Random random = new Random(8);
        float[] rows = new float[count * 8];
        float[] targets = new float[count * 2];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = random.nextFloat(-1, 1);
            targets[i / 8 * 2] += rows[i] / 8;
            targets[i / 8 * 2 + 1] = rows[i / 8 * 8];
        }
        return new Dataset.Split(Samples.Values.of(rows), new Targets.Numbers(targets, 2));
    }

    /// As `./trainyard train` reads a file: a job without an id gets one.
    private static JobSpec job(String json) {
        String named = json.replaceFirst("\\{", "{\"id\": \"example\", ");
        return JobJson.read(named.getBytes(StandardCharsets.UTF_8));
    }
}
