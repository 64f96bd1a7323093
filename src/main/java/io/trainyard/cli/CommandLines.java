package io.trainyard.cli;

import io.trainyard.spec.Printable;
import io.trainyard.spec.SimilarNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// Help, error handling and version of the command lines of both main classes.
final class CommandLines {
    private static final String POM_PROPERTIES = "/META-INF/maven/io.trainyard/trainyard/pom.properties";

    private static final int MAX_NAME = 100;

    private CommandLines() {}

    static CommandLine of(Object command, FailureMessages messages) {
        CommandLine line = new CommandLine(command);
        setHelp(line);
        return line.setExecutionExceptionHandler(messages).setParameterExceptionHandler(CommandLines::sayWrongUse);
    }

    /// Gives the help of the command and its subcommands one form.
    private static void setHelp(CommandLine command) {
        UsageMessageSpec help = command.getCommandSpec().usageMessage();
        help.abbreviateSynopsis(true).footerHeading("%nExamples:%n");
        if (!help.exitCodeList().isEmpty()) {
            help.exitCodeListHeading("%nExit status:%n");
        }
        command.getSubcommands().values().forEach(CommandLines::setHelp);
    }

    /// Prints one sentence because the usage text would scroll it off the screen.
    private static int sayWrongUse(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        if (e instanceof UnmatchedArgumentException unmatched
                && !command.getSubcommands().isEmpty()
                && !unmatched.getUnmatched().getFirst().startsWith("-")) {
            String name = unmatched.getUnmatched().getFirst();
            command.getErr()
                    .printf(
                            "\"%s\" is not a command%s; %s --help lists all.%n",
                            Printable.text(name, MAX_NAME),
                            SimilarNames.hint(name, command.getSubcommands().keySet()),
                            command.getCommandSpec().qualifiedName());
            command.getErr().flush();
            return ExitCodes.BAD_INPUT;
        }
        command.getErr().println(e.getMessage());
        if (!UnmatchedArgumentException.printSuggestions(e, command.getErr())) {
            command.getErr().println(command.getCommandSpec().qualifiedName() + " --help lists its options.");
        }
        command.getErr().flush();
        return ExitCodes.BAD_INPUT;
    }

    /// The version from Maven's `pom.properties`, which does not exist if the classes run from a folder. The
    /// manifest also has it, but cannot be read for classes in a CDS archive.
    static String version() {
        try (InputStream in = CommandLines.class.getResourceAsStream(POM_PROPERTIES)) {
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
