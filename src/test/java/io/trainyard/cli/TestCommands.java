package io.trainyard.cli;

import io.trainyard.cli.terminal.Terminal;
import picocli.CommandLine;

/// Commands with a test's own terminal.
final class TestCommands {
    private TestCommands() {}

    static <C extends PlainCommand> C with(C command, Terminal terminal) {
        command.terminal = terminal;
        return command;
    }

    static CommandLine commandLine(PlainCommand command, Terminal terminal) {
        return Trainyard.commandLine(with(command, terminal));
    }
}
