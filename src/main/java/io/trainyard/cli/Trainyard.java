package io.trainyard.cli;

import io.quarkus.runtime.annotations.QuarkusMain;
import io.trainyard.device.NativeImage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/// The main class of `./trainyard`. Only commands that serve start Quarkus, so the others respond quickly.
@QuarkusMain
@Command(
        name = "trainyard",
        description = "Trains networks on a fleet of workers that get jobs from Kafka.",
        mixinStandardHelpOptions = true,
        versionProvider = Trainyard.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            TrainCommand.class,
            PredictCommand.class,
            BrokerCommand.class,
            WorkerCommand.class,
            DashboardCommand.class,
            SubmitCommand.class,
            WatchCommand.class,
            JobsCommand.class,
            TopCommand.class,
            ProjectsCommand.class,
            SweepCommand.class,
            CancelCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            ReprioritizeCommand.class,
            EventsCommand.class,
            TopicsCommand.class,
            AclsCommand.class,
            ExportCommand.class,
            ImportCommand.class,
            NetworkCommand.class,
            DatasetCommand.class,
            DevicesCommand.class,
            CheckDeviceCommand.class
        },
        footer = {"  ./trainyard demo", "  ./trainyard train job.json"})
public final class Trainyard implements Runnable {

    private static final String POM_PROPERTIES = "/META-INF/maven/io.trainyard/trainyard/pom.properties";

    @Spec
    private CommandSpec spec;

    public static void main(String[] args) {
        System.exit(run(args));
    }

    private static int run(String[] args) {
        try {
            SecretFiles.read(System.getenv()).forEach(System::setProperty);
        } catch (SecretFiles.SecretFileException e) {
            System.err.println(e.getMessage());
            return ExitCodes.BAD_INPUT;
        }
        return commandLine().execute(args);
    }

    /// All commands with error handling and logging.
    static CommandLine commandLine() {
        return commandLine(new Trainyard())
                .setParameterExceptionHandler(Trainyard::sayWrongUse)
                .setExecutionStrategy(Trainyard::execute);
    }

    /// A single command with error handling.
    static CommandLine commandLine(Object command) {
        CommandLine line = Words.readBy(new CommandLine(command));
        setHelp(line);
        return line.setExecutionExceptionHandler(new FailureMessages());
    }

    /// Gives the help of the command and its subcommands one form.
    private static void setHelp(CommandLine command) {
        UsageMessageSpec help = command.getCommandSpec().usageMessage();
        help.abbreviateSynopsis(true).footerHeading("%nExamples:%n");
        if (!help.exitCodeList().isEmpty()) {
            help.exitCodeListHeading("%nExit status:%n");
        }
        command.getSubcommands().values().forEach(Trainyard::setHelp);
    }

    private static int execute(ParseResult parsed) {
        CommandLine command = parsed.asCommandLineList().getLast();
        if (NativeImage.IS_ONE && command.getCommandSpec().userObject() instanceof NeedsJvm) {
            throw new ParameterException(
                    command,
                    "%s is not in the native image, which is for workers; start the one on a JVM (src/main/docker/Dockerfile.jvm)."
                            .formatted(command.getCommandSpec().qualifiedName()));
        }
        if (command.getCommandSpec().userObject() instanceof PlainCommand) {
            PlainLogging.install(FailureMessages.isVerbose(command));
        }
        return new RunLast().execute(parsed);
    }

    /// Prints one sentence because the usage text would scroll it off the screen.
    private static int sayWrongUse(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        command.getErr().println(e.getMessage());
        if (!UnmatchedArgumentException.printSuggestions(e, command.getErr())) {
            command.getErr().println(command.getCommandSpec().qualifiedName() + " --help lists its options.");
        }
        command.getErr().flush();
        return ExitCodes.BAD_INPUT;
    }

    /// Runs if no command is given, which is an error.
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a command.");
    }

    /// The version from Maven's `pom.properties`, which does not exist if the classes run from a folder. The
    /// manifest also has it, but cannot be read for classes in a CDS archive.
    static String version() {
        try (InputStream in = Trainyard.class.getResourceAsStream(POM_PROPERTIES)) {
            if (in == null) {
                return "(not packaged)";
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "(unknown)");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + POM_PROPERTIES, e);
        }
    }

    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"trainyard " + version()};
        }
    }
}
