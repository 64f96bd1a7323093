package io.trainyard.cli;

import io.trainyard.cli.report.NetworkReport;
import io.trainyard.data.DataRoot;
import io.trainyard.data.DatasetInfo;
import io.trainyard.jobfile.JobFiles;
import io.trainyard.spec.BuiltInNetworks;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Printable;
import io.trainyard.spec.Shape;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "network",
        description = {
            "Shows the layers, memory and devices of a network.",
            "Prints output shapes, parameters, multiply-adds, the memory of training, and for each",
            "kind of device its implementation, or why it cannot run the network."
        },
        footer = {"  ./trainyard network show job.json", "  ./trainyard network show lenet --input 3x32x32 --json"})
public final class NetworkCommand extends PlainCommand {

    @Parameters(index = "0", paramLabel = "ACTION", description = "show.")
    private String action = "";

    @Parameters(
            index = "1",
            paramLabel = "NETWORK",
            description = "A job file (JSON or YAML; -: standard input), or a built-in network.")
    private String subject = "";

    @Option(
            names = "--dataset",
            paramLabel = "D",
            description = "Dataset that determines the input shape (default: the job's).")
    private @Nullable String dataset;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "data",
            description = "Folder of datasets (default: data).")
    private Path data = Path.of("data");

    @Option(
            names = "--input",
            paramLabel = "SHAPE",
            description = "Input shape instead: channels, rows and columns, such as 3x32x32.")
    private @Nullable String input;

    @Option(names = "--batch-size", paramLabel = "N", description = "Samples per step (default: the job's, or 64).")
    private @Nullable Integer batchSize;

    @Option(names = "--json", description = "Print a JSON object per network, one per line.")
    private boolean json;

    @Override
    public Integer call() {
        if (!action.equals("show")) {
            throw wrong("\"%s\" is not an action on networks; allowed is show".formatted(action));
        }
        if (dataset != null && input != null) {
            throw wrong("--dataset and --input are given; leave out one of the two");
        }
        for (JobSpec job : jobs()) {
            Network network = network(job);
            NetworkReport report = NetworkReport.of(job, network, batchSize == null ? job.batchSize() : batchSize);
            if (json) {
                terminal.printJson(report);
            } else {
                report.lines().forEach(line -> terminal.out().println(Printable.text(line, 1000)));
            }
        }
        terminal.out().flush();
        return ExitCodes.OK;
    }

    /// A built-in network becomes a job with defaults.
    private List<JobSpec> jobs() {
        if (!BuiltInNetworks.isName(subject)) {
            if (subject.matches("[a-z0-9-]{2,}") && !Files.exists(Path.of(subject))) {
                var _ = NetworkSpec.named(subject); // says what is near
            }
            return JobFiles.read(List.of(subject), terminal.in());
        }
        if (dataset == null && input == null) {
            throw wrong(
                    "network %s needs the shape of its samples; give --dataset D or --input SHAPE".formatted(subject));
        }
        String job = """
                {"id": "shown", "network": "%s", "dataset": "shown", "epochs": 1}""".formatted(subject);
        return List.of(JobJson.read(job.getBytes(StandardCharsets.UTF_8)));
    }

    private Network network(JobSpec job) {
        if (input != null) {
            List<LayerSpec> layers = job.network().layers();
            if (!(layers.getLast() instanceof LayerSpec.Linear last)) {
                throw new InvalidJobException(
                        "the network's last layer is of type %s; its number of outputs must come from a dataset (--dataset) or from a last layer of type linear"
                                .formatted(layers.getLast().type()));
            }
            return Network.fit(job.network(), shape(input), last.out());
        }
        DatasetSpec spec = dataset == null ? job.dataset() : DatasetSpec.named(dataset);
        DatasetInfo info = new DataRoot(data).describe(spec);
        return Network.fit(job.network(), info.shape(), info.outputs());
    }

    private Shape shape(String text) {
        if (!text.matches("\\d{1,7}(x\\d{1,7}){0,2}")) {
            throw wrong("--input is \"%s\"; it must be sizes with x between them, such as 3x32x32"
                    .formatted(Printable.text(text, 100)));
        }
        return new Shape(Stream.of(text.split("x")).map(Integer::valueOf).toList());
    }
}
