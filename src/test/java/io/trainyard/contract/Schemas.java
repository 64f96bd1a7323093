package io.trainyard.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// JSON Schemas, evaluated by a third-party library.
final class Schemas {
    /// The schemas of this version.
    static final Path PRESENT = Path.of("docs/contract/schemas");

    private static final String BASE = "https://trainyard/schemas/";

    private final SchemaRegistry registry;

    private Schemas(UnaryOperator<@Nullable String> text) {
        registry = SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12,
                builder ->
                        builder.schemas(iri -> iri.startsWith(BASE) ? text.apply(iri.substring(BASE.length())) : null));
    }

    /// The schemas of a folder.
    static Schemas in(Path folder) {
        return new Schemas(file -> {
            try {
                return Files.readString(folder.resolve(file));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /// The text of a schema of this version.
    JsonNode read(String name) throws IOException {
        return new JsonMapper().readTree(PRESENT.resolve(name + ".json").toFile());
    }

    /// Violations of a document; empty if there are none.
    ///
    /// @param name a schema, `job-started`, or a part of one, `job-requested.json#/$defs/loss`
    List<String> mistakes(String name, byte[] json) {
        return mistakes(name, new String(json, StandardCharsets.UTF_8));
    }

    List<String> mistakes(String name, String json) {
        return mistakes(
                registry.getSchema(SchemaLocation.of(BASE + (name.contains("#") ? name : name + ".json"))), json);
    }

    /// Violations in a schema itself.
    List<String> mistakesOfSchema(String json) {
        return mistakes(registry.getSchema(SchemaLocation.of("https://json-schema.org/draft/2020-12/schema")), json);
    }

    private static List<String> mistakes(Schema schema, String json) {
        return schema
                .validate(
                        json,
                        InputFormat.JSON,
                        context -> context.executionConfig(config -> config.formatAssertionsEnabled(true)))
                .stream()
                .map(Error::toString)
                .toList();
    }
}
