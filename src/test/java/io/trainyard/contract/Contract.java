package io.trainyard.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/// The files of `docs/contract` that are written from the code.
final class Contract {
    static final Path FOLDER = Path.of("docs/contract");

    private static final JsonMapper MAPPER = new JsonMapper();

    private Contract() {}

    /// By their paths in the folder.
    static Map<String, String> files() {
        Map<String, String> files = new TreeMap<>();
        Message.schemas().forEach((name, schema) -> files.put("schemas/%s.json".formatted(name), text(schema)));
        Samples.all().forEach((name, sample) -> files.put("examples/%s.json".formatted(name), text(sample)));
        files.put("asyncapi.yaml", AsyncApi.yaml());
        return files;
    }

    private static String text(JsonNode json) {
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter(Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                .withArrayEmptySeparator("")
                .withObjectEmptySeparator(""));
        printer.indentObjectsWith(new DefaultIndenter("  ", "\n"));
        try {
            return MAPPER.writer(printer).writeValueAsString(json) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
