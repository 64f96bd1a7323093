package io.trainyard.cli;

import io.trainyard.cli.report.InspectionText;
import io.trainyard.data.Inspection;
import io.trainyard.data.UserFolder;
import io.trainyard.spec.Colors;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Printable;
import io.trainyard.spec.SplitSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "dataset",
        description = {
            "Inspects a dataset, or packs it into one file.",
            "inspect PATH: samples per class, sizes, mean and deviation per channel, duplicates",
            "and irregularities. A missing dataset.json is written.",
            "convert PATH OUT: one file with checksums, which may be larger than memory."
        },
        exitCodeList = {ExitCodes.OK_HELP, DatasetCommand.FAILED_HELP, ExitCodes.BAD_INPUT_HELP},
        footer = {
            "  ./trainyard dataset inspect data/photos --resize 32x32",
            "  ./trainyard dataset convert data/photos data/photos-32 --split 0.2"
        })
public final class DatasetCommand extends PlainCommand {
    static final String FAILED_HELP = "1:inspect: the dataset is not ready for training; or an internal error";

    /// Kept in a field because the log manager drops unreferenced loggers.
    private static final Logger PROGRESS = Logger.getLogger("io.trainyard.data.ProgressLog");

    @Parameters(index = "0", paramLabel = "ACTION", description = "inspect or convert.")
    private String action = "";

    @Parameters(index = "1", paramLabel = "PATH", description = "The folder with the files.")
    private Path path = Path.of("");

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "OUT",
            description = "convert: the folder for the packed dataset, which is created.")
    private @Nullable Path out;

    @Option(
            names = "--resize",
            paramLabel = "SIZE",
            description = "As a job's dataset.resize: HEIGHTxWIDTH, or the smaller side.")
    private @Nullable String resize;

    @Option(
            names = "--center-crop",
            paramLabel = "SIZE",
            description = "As dataset.centerCrop: HEIGHTxWIDTH, or the side of a square.")
    private @Nullable String centerCrop;

    @Option(names = "--colors", paramLabel = "C", description = "Convert images to rgb (default) or grey.")
    private @Nullable Colors colors;

    @Option(
            names = "--split",
            paramLabel = "SHARE",
            description = "Share of samples for testing, if the dataset has no test part.")
    private @Nullable Double split;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of --split (default: 0).")
    private long seed;

    @Option(
            names = "--label",
            paramLabel = "COLUMN",
            description = "inspect: a table's column with the class or the number to predict (default: guessed).")
    private @Nullable String label;

    @Option(names = "--dry-run", description = "inspect: write nothing.")
    private boolean dryRun;

    @Option(names = "--force", description = "convert: replace an existing packed dataset.")
    private boolean force;

    @Option(names = "--json", description = "inspect: print a JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        Handler progress = new ToTerminal();
        PROGRESS.setLevel(Level.INFO);
        PROGRESS.addHandler(progress);
        try {
            return switch (action) {
                case "inspect" -> inspect();
                case "convert" -> convert();
                default ->
                    throw wrong("\"%s\" is not an action on datasets; allowed is inspect or convert"
                            .formatted(Printable.text(action, 100)));
            };
        } finally {
            PROGRESS.removeHandler(progress);
            terminal.out().flush();
        }
    }

    private int inspect() {
        if (out != null) {
            throw wrong("inspect takes one folder; leave out " + out);
        }
        UserFolder folder = UserFolder.at(path, label);
        Inspection inspection = folder.inspect(how(folder));
        if (json) {
            terminal.printJson(inspection);
        } else {
            InspectionText.lines(inspection).forEach(terminal.out()::println);
        }
        boolean readable = inspection.unreadable() == null;
        if (!inspection.described() && readable && !dryRun) {
            terminal.err().println("written: " + folder.write(inspection));
        } else if (!inspection.described()) {
            terminal.err().println("not written: " + inspection.description());
        }
        return readable ? ExitCodes.OK : ExitCodes.FAILED;
    }

    private int convert() {
        if (label != null) {
            throw wrong("--label is for inspect; convert reads the label from dataset.json");
        }
        if (out == null) {
            throw wrong("convert takes two folders: the one to read, and OUT, the one to write");
        }
        UserFolder folder = UserFolder.at(path);
        terminal.out().println("written: " + folder.pack(out, how(folder), force));
        return ExitCodes.OK;
    }

    /// The dataset as a job would specify it.
    private DatasetSpec how(UserFolder folder) {
        try {
            return new DatasetSpec(
                    folder.name(),
                    colors,
                    resize == null ? null : sizes("--resize", resize),
                    centerCrop == null ? null : sizes("--center-crop", centerCrop),
                    split == null ? null : new SplitSpec(split, seed),
                    null,
                    null);
        } catch (InvalidJobException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private List<Integer> sizes(String option, String text) {
        if (!text.matches("\\d{1,5}(x\\d{1,5})?")) {
            throw wrong("%s is \"%s\"; it must be HEIGHTxWIDTH or one side, such as 32x32 or 32"
                    .formatted(option, Printable.text(text, 100)));
        }
        return Stream.of(text.split("x")).map(Integer::valueOf).toList();
    }

    /// Prints the progress to standard error, separate from the results.
    private final class ToTerminal extends Handler {
        @Override
        public void publish(LogRecord entry) {
            terminal.err().println(Printable.text(String.valueOf(entry.getMessage()), 1_000));
        }

        @Override
        public void flush() {
            terminal.err().flush();
        }

        @Override
        public void close() {}
    }
}
