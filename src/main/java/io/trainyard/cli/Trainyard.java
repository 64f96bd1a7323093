package io.trainyard.cli;

import io.quarkus.runtime.annotations.QuarkusMain;
import io.trainyard.broker.BrokerException;
import io.trainyard.export.ExportException;
import io.trainyard.tracking.TrackingException;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;

/// The main class of `./trainyard`. Only commands that serve start Quarkus, so the others respond quickly.
@QuarkusMain
@Command(
        name = "trainyard",
        description = "Trains networks on a fleet of workers that get jobs from Kafka.",
        mixinStandardHelpOptions = true,
        versionProvider = CommandLines.Version.class,
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
        return commandLine(new Trainyard()).setExecutionStrategy(Trainyard::execute);
    }

    /// A single command with error handling.
    static CommandLine commandLine(Object command) {
        FailureMessages messages =
                new FailureMessages(Set.of(BrokerException.class, TrackingException.class, ExportException.class));
        return EnumConverter.readBy(CommandLines.of(command, messages));
    }

    private static int execute(ParseResult parsed) {
        CommandLine command = parsed.asCommandLineList().getLast();
        if (command.getCommandSpec().userObject() instanceof PlainCommand) {
            PlainLogging.install(FailureMessages.isVerbose(command));
        }
        return new RunLast().execute(parsed);
    }

    /// Runs if no command is given, which is an error.
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a command.");
    }
}
