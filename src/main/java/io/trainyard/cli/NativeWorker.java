package io.trainyard.cli;

import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.Set;
import picocli.CommandLine.Command;

/// The main class of the native worker, with the command `worker` only. The Maven profile `native-worker` compiles
/// the classes that it reaches, without the libraries of the broker, the dashboard and the other commands.
@QuarkusMain(name = "worker")
@Command(
        name = "trainyard",
        description = "A worker that trains jobs from Kafka.",
        mixinStandardHelpOptions = true,
        versionProvider = CommandLines.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = WorkerCommand.class,
        footer = "  trainyard worker --kafka kafka:9092")
public final class NativeWorker {
    NativeWorker() {}

    public static void main(String[] args) {
        System.exit(CommandLines.of(new NativeWorker(), new FailureMessages(Set.of()))
                .execute(args));
    }
}
