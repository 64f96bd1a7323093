package io.trainyard.cli;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.data.DatasetException;
import io.trainyard.device.DeviceException;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Printable;
import io.trainyard.topics.KafkaConfigException;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.PortProbe;
import io.trainyard.worker.WorkerIdTakenException;
import java.io.PrintWriter;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// Converts exceptions of commands to a message on standard error and an exit status. Expected errors are
/// sentences for users. All others are one line, with a stack trace only if requested.
final class FailureMessages implements IExecutionExceptionHandler {
    private final Set<Class<? extends RuntimeException>> expected;

    /// @param expected exceptions of the commands that the worker does not have, whose messages are for users
    FailureMessages(Set<Class<? extends RuntimeException>> expected) {
        this.expected = Set.copyOf(expected);
    }

    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        PrintWriter err = command.getErr();
        int status = switch (failure) {
            case InvalidJobException _,
                    DatasetException _,
                    DeviceException _,
                    CheckpointException _,
                    KafkaConfigException _,
                    WorkerIdTakenException _ -> badInput(failure, err);
            case KafkaUnreachableException e -> {
                err.println(PortProbe.explained(e).getMessage());
                yield ExitCodes.KAFKA_UNREACHABLE;
            }
            case RuntimeException e when expected.contains(e.getClass()) -> badInput(e, err);
            default -> {
                err.println("trainyard %s: unexpected %s; --verbose or TRAINYARD_VERBOSE=true shows where"
                        .formatted(command.getCommandName(), Printable.text(failure.toString(), 1000)));
                yield ExitCodes.FAILED;
            }
        };
        if (isVerbose(command)) {
            failure.printStackTrace(err);
        }
        err.flush();
        return status;
    }

    private static int badInput(Exception failure, PrintWriter err) {
        err.println(failure.getMessage());
        return ExitCodes.BAD_INPUT;
    }

    static boolean isVerbose(CommandLine command) {
        OptionSpec option = command.getCommandSpec().findOption("--verbose");
        return (option != null && Boolean.TRUE.equals(option.getValue()))
                || Boolean.parseBoolean(System.getenv("TRAINYARD_VERBOSE"));
    }
}
