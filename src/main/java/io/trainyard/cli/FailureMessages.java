package io.trainyard.cli;

import io.trainyard.broker.BrokerException;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.data.DatasetException;
import io.trainyard.device.DeviceException;
import io.trainyard.export.ExportException;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Printable;
import io.trainyard.topics.KafkaConfigException;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.PortProbe;
import io.trainyard.tracking.TrackingException;
import io.trainyard.worker.WorkerIdTakenException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// Converts exceptions of commands to a message on standard error and an exit status. Expected errors are
/// sentences for users. All others are one line, with a stack trace only if requested.
final class FailureMessages implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        PrintWriter err = command.getErr();
        int status = switch (failure) {
            case InvalidJobException _,
                    DatasetException _,
                    DeviceException _,
                    CheckpointException _,
                    BrokerException _,
                    KafkaConfigException _,
                    WorkerIdTakenException _,
                    TrackingException _,
                    ExportException _ -> {
                err.println(failure.getMessage());
                yield ExitCodes.BAD_INPUT;
            }
            case KafkaUnreachableException e -> {
                err.println(PortProbe.explained(e).getMessage());
                yield ExitCodes.KAFKA_UNREACHABLE;
            }
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

    static boolean isVerbose(CommandLine command) {
        OptionSpec option = command.getCommandSpec().findOption("--verbose");
        return (option != null && Boolean.TRUE.equals(option.getValue()))
                || Boolean.parseBoolean(System.getenv("TRAINYARD_VERBOSE"));
    }
}
