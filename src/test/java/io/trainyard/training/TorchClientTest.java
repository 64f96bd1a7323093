package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.Programs;
import io.trainyard.Slow;
import io.trainyard.checkpoint.SafeTensors;
import io.trainyard.data.DataRoot;
import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.data.SplitBytes;
import io.trainyard.device.Devices;
import io.trainyard.device.Initializer;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Converts typical PyTorch networks to jobs with docs/clients/trainyard_torch.py, trains them, and loads the
/// checkpoints back, with the real PyTorch at both ends.
@Slow
class TorchClientTest {
    private static final int STEPS = 5;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void convertsPyTorchNetworksAndBack() throws Exception {
        Process script = new ProcessBuilder(
                        Programs.python("torch", "python3-torch"), "src/test/python/torch_client.py", folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines = script.inputReader(StandardCharsets.UTF_8);
                var input = script.outputWriter(StandardCharsets.UTF_8)) {
            assertThat(lines.readLine()).isEqualTo("made");
            List<Path> networks = networks();
            assertThat(networks).hasSizeGreaterThanOrEqualTo(5);
            for (Path network : networks) {
                train(network);
            }
            input.write("trained\n");
            input.flush();
            for (Path network : networks) {
                JsonNode published = JSON.readTree(lines.readLine());
                assertThat(published.path("initial").asDouble(1))
                        .as("%s", published)
                        .isZero();
                assertThat(published.path("moved").asDouble())
                        .as("%s", published)
                        .isGreaterThan(1e-4);
                assertThat(published.path("probabilities").asDouble(1))
                        .as("%s", published)
                        .isLessThan(1e-5);
            }
        } finally {
            script.destroyForcibly();
        }
    }

    private List<Path> networks() throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".json")).toList();
        }
    }

    /// @param network a file `NAME-CxHxW.json`; output goes next to it
    private void train(Path network) throws IOException {
        String layers = Files.readString(network);
        Dataset dataset = new DataRoot(folder)
                .open(DatasetSpec.named(network.toString().contains("1x28x28") ? "shapes28" : "shapes32"));
        JobSpec job =
                JobJson.read("{\"id\": \"job\", \"dataset\": \"%s\", \"epochs\": 1, \"batchSize\": 16, \"network\": %s}"
                        .formatted(dataset.name(), layers)
                        .getBytes(StandardCharsets.UTF_8));
        Workload workload = new Workload(
                Network.fit(job.network(), dataset.shape(), dataset.outputs()),
                job.optimizer(),
                job.batchSize(),
                dataset,
                PixelScale.of(dataset.shape().size(0), null),
                AugmentSpec.NONE,
                job.precision(),
                0);
        String name = network.getFileName().toString().replace(".json", "");
        try (LearningSession session = Devices.open(new DeviceSpec("cpu")).open(workload)) {
            TorchRandom random = new TorchRandom(0);
            Parameters initial = Initializer.initial(workload.network(), random);
            write(name + ".initial.safetensors", initial);
            session.load(new SessionState(initial, Parameters.NONE));
            session.beginEpoch(EpochDraws.train(workload, job, StepRates.of(job, workload, 0), random), 0);
            var _ = session.advance(STEPS);
            write(name + ".safetensors", session.save().model());
            write(name + ".probabilities", session.predict());
            write(name + ".images", scaled(SplitBytes.pixels(dataset.test())));
        }
    }

    private void write(String file, Parameters model) throws IOException {
        try (var out = Files.newOutputStream(folder.resolve(file))) {
            new SafeTensors(Map.of(), model).write(out);
        }
    }

    private void write(String file, float[] values) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        Files.write(folder.resolve(file), bytes.array());
    }

    private static float[] scaled(byte[] pixels) {
        float[] values = new float[pixels.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = Byte.toUnsignedInt(pixels[i]) / 255f;
        }
        return values;
    }
}
