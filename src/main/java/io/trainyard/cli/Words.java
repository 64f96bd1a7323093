package io.trainyard.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.TypeConversionException;

/// Constants as they are written in options: in small letters.
final class Words {
    private Words() {}

    /// @throws TypeConversionException if there is none of that name; it says which there are
    static <E extends Enum<E>> E read(String word, Class<E> type) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> word(constant).equals(word))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("\"%s\" is none; allowed is %s"
                        .formatted(
                                word,
                                Arrays.stream(type.getEnumConstants())
                                        .map(Words::word)
                                        .collect(Collectors.joining(", ")))));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
