package io.trainyard.cli;

import io.trainyard.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// A command that runs without Quarkus. [Trainyard] configures [PlainLogging] for it.
@Command(
        mixinStandardHelpOptions = true,
        exitCodeList = {ExitCodes.OK_HELP, ExitCodes.UNEXPECTED_HELP, ExitCodes.BAD_INPUT_HELP})
abstract class PlainCommand implements Callable<Integer> {
    /// Replaced in tests.
    Terminal terminal = Terminal.system();

    @Spec
    CommandSpec command;

    final ParameterException wrong(String sentence) {
        return wrong(sentence, null);
    }

    final ParameterException wrong(String sentence, @Nullable Exception cause) {
        return new ParameterException(command.commandLine(), sentence, cause);
    }
}
