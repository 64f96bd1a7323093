package io.trainyard.export.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.data.Samples;
import io.trainyard.data.Targets;
import io.trainyard.device.Devices;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCase;
import io.trainyard.device.check.LayerCases;
import io.trainyard.export.ExportException;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.BuiltInNetworks;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// ONNX Runtime's outputs of the files are those of the devices.
class OnnxModelTest {
    private static final int SAMPLES = 3;
    private static final double TOLERANCE = 1e-5; // of the largest output

    @TempDir
    private Path folder;

    static List<LayerCase> layers() {
        return LayerCases.all();
    }

    @ParameterizedTest
    @MethodSource("layers")
    void everyLayerHasTheSameOutputs(LayerCase row) throws OrtException {
        Network network = Network.fit(NetworkSpec.ofLayers(row.layers()), row.input(), row.classes());
        requireSame(network, PixelScale.of(row.input(), null), "reference");
    }

    static Stream<NetworkSpec> networks() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("docs/examples"))) {
            List<NetworkSpec> examples = files.filter(
                            file -> file.toString().endsWith(".json") && !file.endsWith("sweep.json"))
                    .sorted()
                    .map(OnnxModelTest::network)
                    .toList();
            return Stream.concat(BuiltInNetworks.names().stream().map(NetworkSpec::named), examples.stream());
        }
    }

    private static NetworkSpec network(Path job) {
        try {
            ObjectNode json = (ObjectNode) new ObjectMapper().readTree(job.toFile());
            return JobJson.read(json.put("id", "a")).network();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + job, e);
        }
    }

    @ParameterizedTest
    @MethodSource("networks")
    void networksHaveTheSameOutputs(NetworkSpec spec) throws OrtException {
        Shape input = switch (spec.label()) {
            case "fashion" -> Shape.of(1, 28, 28);
            case "signs", "resnet18", "resnet34", "resnet50", "mobilenet-v2" -> Shape.of(3, 64, 64);
            default -> Shape.of(3, 32, 32);
        };
        List<Double> mean = Collections.nCopies(input.size(0), 0.4);
        Shape output = input;
        for (LayerSpec layer : spec.layers()) {
            output = layer.output(output);
        }
        // as a list of layers: torchvision's networks, too, accept small images
        Network network = Network.fit(NetworkSpec.ofLayers(spec.layers()), input, output.elements());
        requireSame(network, PixelScale.of(input, new Normalize(mean, Collections.nCopies(input.size(0), 0.3))), "cpu");
    }

    @Test
    void rowsOfNumbersAreNormalizedToo() throws OrtException {
        Shape row = Shape.of(4);
        List<LayerSpec> layers = List.of(new LayerSpec.Linear(null, 5, true));
        Normalize normalize = new Normalize(List.of(1.0, -2.0, 30.0, 0.0), List.of(1.0, 0.5, 10.0, 3.0));
        requireSame(Network.fit(NetworkSpec.ofLayers(layers), row, 5), PixelScale.of(row, normalize), "reference");
    }

    @Test
    void aModelWithoutLayersThatComputeIsItsInput() throws OrtException {
        List<LayerSpec> layers = List.of(new LayerSpec.Identity(null));
        Shape row = Shape.of(4);
        requireSame(Network.fit(NetworkSpec.ofLayers(layers), row, 4), PixelScale.of(row, null), "reference");
    }

    private void requireSame(Network network, PixelScale scale, String device) throws OrtException {
        Shape input = network.input();
        float[] values = new float[SAMPLES * input.elements()];
        Random random = new Random(7);
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextFloat();
        }
        Targets none = new Targets.Numbers(new float[SAMPLES * network.classes()], network.classes());
        Dataset.Split split = new Dataset.Split(Samples.Values.of(values), none);
        Workload workload = new Workload(
                network,
                new LossSpec.MeanSquaredError(), // predicts the outputs themselves
                CheckWorkload.PLAIN,
                LoopSpec.NONE,
                SAMPLES,
                new Dataset("random", input, network.classes(), split, split),
                scale,
                AugmentSpec.NONE,
                Precision.FP32,
                1,
                false);
        SessionState state = CheckWorkload.state(workload);
        float[] expected;
        try (LearningSession session = Devices.open(new DeviceSpec(device)).open(workload)) {
            session.load(new SessionState(state.model(), Parameters.NONE));
            expected = session.predict();
        }
        Path file = folder.resolve("model.onnx");
        model(network, state.model(), scale).write(file);
        float[] found = run(file, network, values);
        double largest = IntStream.range(0, expected.length)
                .mapToDouble(i -> Math.abs(expected[i]))
                .max()
                .orElseThrow();
        assertThat(largest).isPositive().isFinite();
        assertThat(found).hasSameSizeAs(expected);
        double worst = IntStream.range(0, expected.length)
                .mapToDouble(i -> Math.abs((double) found[i] - expected[i]))
                .max()
                .orElseThrow();
        assertThat(worst / largest).isLessThanOrEqualTo(TOLERANCE);
    }

    private static OnnxModel model(Network network, Parameters parameters, PixelScale scale) {
        return new OnnxModel(network, parameters, scale, null, "logits", "1.2.3", Map.of("job", "a"));
    }

    private static float[] run(Path file, Network network, float[] values) throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(1);
            try (OrtSession session = environment.createSession(file.toString(), options)) {
                NodeInfo input = Objects.requireNonNull(session.getInputInfo().get("input"));
                assertThat(((TensorInfo) input.getInfo()).getShape()).isEqualTo(sizes(-1, network.input()));
                NodeInfo output = Objects.requireNonNull(session.getOutputInfo().get("logits"));
                assertThat(((TensorInfo) output.getInfo()).getShape()).containsExactly(-1, network.classes());
                assertThat(session.getMetadata().getCustomMetadata()).containsEntry("job", "a");
                assertThat(session.getMetadata().getProducerName()).isEqualTo("Trainyard");
                try (OnnxTensor tensor = OnnxTensor.createTensor(
                                environment, FloatBuffer.wrap(values), sizes(SAMPLES, network.input()));
                        OrtSession.Result result = session.run(Map.of("input", tensor))) {
                    FloatBuffer found = ((OnnxTensor) result.get(0)).getFloatBuffer();
                    float[] all = new float[found.remaining()];
                    var _ = found.get(all);
                    return all;
                }
            }
        }
    }

    private static long[] sizes(long batch, Shape sample) {
        return Stream.concat(Stream.of(batch), sample.sizes().stream().map(Integer::longValue))
                .mapToLong(size -> size)
                .toArray();
    }

    @Test
    void refusesMoreThanTheFormatHolds() {
        Graph graph = new Graph();
        float[] shared = new float[1 << 24];
        for (int i = 0; i < 32; i++) {
            var _ = graph.constant(shared, List.of(shared.length));
        }
        Network network = Network.fit(NetworkSpec.ofLayers(List.of(new LayerSpec.Identity(null))), Shape.of(2), 2);
        Path file = folder.resolve("large.onnx");
        OnnxModel model = model(network, Parameters.NONE, PixelScale.of(Shape.of(2), null));
        assertThatThrownBy(() -> model.write(graph, file))
                .isInstanceOf(ExportException.class)
                .hasMessageStartingWith(file + " would have 2147")
                .hasMessageContaining("an ONNX file can have at most 2147483647; ");
        assertThat(folder).isEmptyDirectory();
    }
}
