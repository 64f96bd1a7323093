package io.trainyard.cli;

import io.trainyard.export.TensorBoardImport;
import io.trainyard.export.TensorBoardImport.Imported;
import io.trainyard.export.TensorBoardImport.Metric;
import io.trainyard.spec.Printable;
import io.trainyard.tracking.TrackingStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

@Command(
        name = "import",
        description = {
            "Imports TensorBoard runs into the tracking store.",
            "A folder with event files becomes a finished job. Existing jobs do not change."
        },
        exitCodeList = {
            ExitCodes.OK_HELP,
            ExitCodes.UNEXPECTED_HELP,
            "2:a wrong option, no event files, or no tracking store",
            ExitCodes.INTERRUPTED_HELP
        },
        footer = {
            "  ./trainyard import tensorboard runs",
            "  ./trainyard import tensorboard runs --means train/nll=train_loss"
        })
public final class ImportCommand extends PlainCommand {
    private static final int MAX_TEXT = 2000;

    @Parameters(index = "0", paramLabel = "FORMAT", description = "tensorboard.")
    private String format = "";

    @Parameters(index = "1", paramLabel = "DIR", description = "The folder with the runs.")
    private Path folder = Path.of("");

    @Option(names = "--name-prefix", paramLabel = "TEXT", description = "Prefix of the jobs' ids.")
    private String prefix = "";

    @Option(
            names = "--means",
            paramLabel = "TAG=METRIC",
            converter = TagConverter.class,
            description =
                    "Metric of an additional tag: train_loss, test_loss, test_accuracy or test_mean_absolute_error.")
    private Map<String, Metric> tags = new LinkedHashMap<>();

    @Option(names = "--json", description = "Print a JSON object per run, one per line.")
    private boolean json;

    @Mixin
    private TrackingOptions tracking = new TrackingOptions();

    @Override
    public Integer call() {
        if (!format.equals("tensorboard")) {
            throw wrong("\"%s\" cannot be imported; allowed is tensorboard".formatted(format));
        }
        if (!Files.isDirectory(folder)) {
            throw wrong("there is no folder %s; name the folder of the runs".formatted(folder));
        }
        List<Imported> all = new ArrayList<>();
        try (TrackingStore store = tracking.open()) {
            new TensorBoardImport(store, tags).run(folder, prefix, all::add);
        } finally {
            for (Imported one : all) {
                print(one);
            }
            terminal.out().flush();
        }
        TreeSet<String> unknown = new TreeSet<>();
        all.forEach(one -> unknown.addAll(one.unknown()));
        if (!unknown.isEmpty()) {
            terminal.err()
                    .println(Printable.text(
                            "unknown tags were skipped (--means TAG=METRIC assigns one to a metric):  "
                                    + String.join(", ", unknown),
                            MAX_TEXT));
        }
        return ExitCodes.OK;
    }

    private void print(Imported one) {
        if (json) {
            terminal.printJson(one);
            return;
        }
        String what;
        if (one.isNew()) {
            what = "%d losses, %d tests".formatted(one.losses(), one.tests());
        } else if (one.losses() == 0 && one.tests() == 0) {
            what = "it has no known tags";
        } else {
            what = "exists already";
        }
        String alone = one.alone() == 0
                ? ""
                : "; %d accuracies and errors of tests without a loss were skipped".formatted(one.alone());
        terminal.out().println(Printable.text("job " + one.job() + ": " + what + alone, MAX_TEXT));
    }

    private static final class TagConverter implements ITypeConverter<String> {
        @Override
        public String convert(String value) {
            if (value.isEmpty()) {
                throw new TypeConversionException("a tag is missing");
            }
            return value;
        }
    }
}
