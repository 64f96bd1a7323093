package io.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.data.DatasetInfo;
import io.trainyard.data.FetchProgress;
import io.trainyard.export.ExportException;
import io.trainyard.export.onnx.OnnxModel;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import io.trainyard.training.Predictor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "onnx",
        description = {
            "Writes a checkpoint's network and weights to an ONNX file.",
            "Its input: pixels from 0 to 1, or numbers as in the dataset; the file normalizes them."
        },
        footer = {
            "  ./trainyard export onnx tudui-1/best",
            "  ./trainyard export onnx net.safetensors --network lenet --dataset shapes32"
        })
public final class ExportOnnxCommand extends PlainCommand {
    private static final JsonMapper MAPPER = new JsonMapper();

    @Parameters(
            paramLabel = "CHECKPOINT",
            description = "JOB (its newest checkpoint), JOB/best, JOB/STEP, or a model file (*.safetensors).")
    private String checkpoint = "";

    @Option(
            names = "--dataset",
            paramLabel = "D",
            description =
                    "Dataset, normalized as in training; or {\"name\": ..., \"normalize\": ...} (default: the job's).")
    private @Nullable String dataset;

    @Option(
            names = "--network",
            paramLabel = "N",
            description = "Built-in network or file (JSON, YAML), for a model file without a job.")
    private @Nullable String network;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "Output file (default: JOB.onnx, or the model file's name, in this folder).")
    private @Nullable Path output;

    @Option(names = "--force", description = "Replace an existing file.")
    private boolean force;

    @Mixin
    private PlaceOptions options = new PlaceOptions();

    @Override
    public Integer call() {
        Path file = file();
        if (Files.isDirectory(file)) {
            throw new ExportException("%s is a folder; name a file with --output".formatted(file));
        }
        if (Files.exists(file) && !force) {
            throw new ExportException(
                    "%s is there already; name another file with --output, or let it be replaced with --force"
                            .formatted(file));
        }
        ModelSource source = ModelSource.find(checkpoint, options.checkpoints());
        if (source.run() != null) {
            terminal.err().printf("%s is %s, its newest finished run%n", checkpoint, source.run());
        }
        JobSpec asked = source.ask(network, dataset, terminal.in());
        Predictor.Request request = new Predictor.Request(
                asked.network(), asked.dataset(), source.checkpoint(), source.model(), source.targets(), 1, 1, 0);
        DatasetInfo described =
                options.data().of(asked.dataset().name(), FetchProgress.IGNORED).describe(asked.dataset());
        Network fitted = request.network(described);
        OnnxModel model = new OnnxModel(
                fitted,
                source.model(),
                request.scale(described),
                source.targets(),
                described.classNames().isEmpty() ? "prediction" : "logits",
                CommandLines.version(),
                metadata(source, asked, described));
        model.write(file);
        terminal.out()
                .printf(
                        "exported %s to %s: input %s, %s %d%n",
                        source.checkpoint(), file, fitted.input(), model.output(), fitted.classes());
        terminal.out().flush();
        return ExitCodes.OK;
    }

    private Path file() {
        if (output != null) {
            return output;
        }
        if (checkpoint.endsWith(ModelSource.MODEL_FILE)) {
            String name = Path.of(checkpoint).getFileName().toString();
            return Path.of(name.substring(0, name.length() - ModelSource.MODEL_FILE.length()) + ".onnx");
        }
        return Path.of(CheckpointName.parse("the checkpoint", checkpoint).job() + ".onnx");
    }

    private Map<String, String> metadata(ModelSource source, JobSpec asked, DatasetInfo described) {
        Map<String, String> metadata = new LinkedHashMap<>();
        metadata.put("checkpoint", source.checkpoint());
        source.spec().ifPresent(job -> metadata.put("job", job.id()));
        if (!source.checkpoint().endsWith(ModelSource.MODEL_FILE)) {
            Long step =
                    CheckpointName.parse("the checkpoint", source.checkpoint()).step();
            if (step != null) {
                metadata.put("step", step.toString());
            }
        }
        metadata.put("network", asked.network().label());
        metadata.put("dataset", described.name());
        boolean images = described.shape().rank() > 1;
        metadata.put(
                "input",
                (images
                                ? "images (channels, rows, columns): bytes / 255, or floats as in the dataset"
                                : "the numbers of a row")
                        + "; not normalized, which the graph does");
        if (!described.classNames().isEmpty()) {
            metadata.put("classes", json(described));
        }
        return metadata;
    }

    private static String json(DatasetInfo described) {
        try {
            return MAPPER.writeValueAsString(described.classNames());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("texts can be written as JSON", e);
        }
    }
}
