package io.trainyard.cli;

import io.trainyard.event.JobState.Status;
import io.trainyard.export.ExportFormat;
import io.trainyard.export.TensorBoardImport.Metric;
import io.trainyard.spec.Colors;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/// Converts option values in lower case to enum constants.
final class EnumConverter {
    private EnumConverter() {}

    /// Registers the converters for a command and its subcommands.
    static CommandLine readBy(CommandLine command) {
        register(Colors.class, command);
        register(ExportFormat.class, command);
        register(JobOrder.class, command);
        register(Metric.class, command);
        register(Status.class, command);
        register(TopOrder.class, command);
        return command;
    }

    private static <E extends Enum<E>> void register(Class<E> type, CommandLine command) {
        command.registerConverter(type, word -> read(word, type));
    }

    private static <E extends Enum<E>> E read(String word, Class<E> type) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> word(constant).equals(word))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("\"%s\" is not valid; allowed is %s"
                        .formatted(
                                word,
                                Arrays.stream(type.getEnumConstants())
                                        .map(EnumConverter::word)
                                        .collect(Collectors.joining(", ")))));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
