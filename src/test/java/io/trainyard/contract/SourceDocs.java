package io.trainyard.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// What doc comments say of a type and of its fields: the descriptions of the schemas.
///
/// @param text its first paragraph; empty where it has no comment
/// @param fields by their names
record SourceDocs(String text, Map<String, String> fields) {
    private static final Pattern FIELD = Pattern.compile("@(\\w+)(?: (\\w+))? ([^@]*)");
    private static final Map<Class<?>, SourceDocs> READ = new HashMap<>();

    static SourceDocs of(Class<?> type) {
        return READ.computeIfAbsent(type, SourceDocs::read);
    }

    private static SourceDocs read(Class<?> type) {
        Class<?> file = type;
        while (file.getEnclosingClass() != null) {
            file = file.getEnclosingClass();
        }
        Pattern comment =
                Pattern.compile("((?:[ \\t]*///[^\\n]*\\n)+)(?:(?!///)[^;]){0,4000}?\\b(?:record|interface|enum) %s\\b"
                        .formatted(type.getSimpleName()));
        Matcher found = comment.matcher(source(file));
        return found.find() ? parsed(found.group(1)) : new SourceDocs("", Map.of());
    }

    private static String source(Class<?> file) {
        try {
            return Files.readString(Path.of("src/main/java", file.getName().replace('.', '/') + ".java"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SourceDocs parsed(String comment) {
        List<String> lines = comment.lines()
                .map(line -> line.strip().replaceFirst("^/// ?", "").strip())
                .toList();
        String text = lines.stream()
                .takeWhile(line -> !line.isEmpty() && !line.startsWith("@"))
                .collect(Collectors.joining(" "));
        Map<String, String> fields = new LinkedHashMap<>();
        Matcher field = FIELD.matcher(
                lines.stream().dropWhile(line -> !line.startsWith("@")).collect(Collectors.joining(" ")));
        while (field.find()) {
            if (field.group(1).equals("param")) {
                fields.put(field.group(2), sentences(field.group(3).strip()));
            }
        }
        return new SourceDocs(sentences(text), fields);
    }

    /// Without sentences that lead to other code, which who reads a schema does not see.
    private static String sentences(String text) {
        return Arrays.stream(text.split("(?<=\\.) "))
                .filter(sentence -> !sentence.contains("[#"))
                .collect(Collectors.joining(" "))
                .replaceAll("\\[(\\w+)(?:#\\w+)?]", "$1");
    }
}
