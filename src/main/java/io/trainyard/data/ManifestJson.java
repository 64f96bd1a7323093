package io.trainyard.data;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.Printable;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SimilarNames;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Parses a [DatasetManifest] strictly, like jobs: an unknown field or value is an error that lists the known ones.
final class ManifestJson {
    static final int MAX_BYTES = 1 << 20;

    private static final int MAX_PRINTED = 80;

    private static final JsonMapper MAPPER = JobJson.strictMapper()
            .serializationInclusion(JsonInclude.Include.NON_NULL)
            .build();

    private ManifestJson() {}

    /// @throws DatasetException with the file and the mistake
    static DatasetManifest read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw wrong(file, "it has more than %d bytes, the most that is read".formatted(MAX_BYTES), null);
            }
            return parse(file, bytes);
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }

    private static DatasetManifest parse(Path file, byte[] bytes) throws IOException {
        JsonNode tree;
        try {
            tree = MAPPER.readTree(bytes);
        } catch (JacksonException e) {
            String first = e.getOriginalMessage().lines().findFirst().orElse("");
            throw wrong(file, "it is not JSON: " + Printable.text(first, 200), e);
        }
        if (!tree.isObject()) {
            throw wrong(file, "it must be a JSON object such as {\"kind\": \"idx\", ...}", null);
        }
        try {
            return MAPPER.treeToValue(tree, DatasetManifest.class);
        } catch (JsonMappingException | InvalidJobException e) {
            throw wrong(file, sentence(e, tree), e);
        }
    }

    static ObjectNode ofKind(String kind) {
        return MAPPER.createObjectNode().put("kind", kind);
    }

    static ObjectNode tree(DatasetManifest manifest) {
        return MAPPER.valueToTree(manifest);
    }

    static DatasetManifest of(Path file, ObjectNode description) {
        try {
            return parse(file, MAPPER.writeValueAsBytes(description));
        } catch (IOException e) {
            throw new IllegalStateException("JSON cannot be written to memory", e);
        }
    }

    static String text(ObjectNode description) {
        return description.properties().stream()
                .map(field -> "  \"%s\": %s".formatted(field.getKey(), field.getValue()))
                .collect(Collectors.joining(",\n", "{\n", "\n}\n"));
    }

    static DatasetException wrong(Path file, String sentence, @Nullable Exception cause) {
        String message = "%s: %s; docs/reference/datasets.md describes the allowed content"
                .formatted(file.toAbsolutePath(), sentence);
        return cause == null ? new DatasetException(message) : new DatasetException(message, cause);
    }

    private static String sentence(Exception e, JsonNode tree) {
        if (e instanceof ValueInstantiationException refused) {
            Optional<String> unknown = unknownFieldNextTo(refused, tree);
            if (unknown.isPresent()) {
                return unknown.get();
            }
        }
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidJobException invalid) {
                return String.valueOf(invalid.getMessage());
            }
        }
        return switch (e) {
            case UnrecognizedPropertyException unknown -> unknownField(unknown);
            case InvalidTypeIdException _ ->
                "kind is %s; allowed is %s".formatted(printable(tree.path("kind")), String.join(", ", kinds()));
            case MismatchedInputException mismatch ->
                "%s is %s; it must be %s"
                        .formatted(text(mismatch.getPath()), printable(at(tree, mismatch.getPath())), kind(mismatch));
            default -> "it cannot be read: " + Printable.text(String.valueOf(e.getMessage()), 200);
        };
    }

    static List<String> kinds() {
        JsonSubTypes types = Objects.requireNonNull(DatasetManifest.class.getAnnotation(JsonSubTypes.class));
        return Arrays.stream(types.value()).map(JsonSubTypes.Type::name).toList();
    }

    /// Jackson constructs the object before it checks for unknown fields, so a misspelt field would be reported
    /// as a missing one.
    private static Optional<String> unknownFieldNextTo(ValueInstantiationException e, JsonNode tree) {
        List<String> known = MAPPER.getDeserializationConfig().introspect(e.getType()).findProperties().stream()
                .map(BeanPropertyDefinition::getName)
                .toList();
        return at(tree, e.getPath()).properties().stream()
                .map(Map.Entry::getKey)
                .filter(name -> !known.contains(name) && !name.equals("kind"))
                .findFirst()
                .map(name -> unknownField(name, known));
    }

    private static String unknownField(UnrecognizedPropertyException e) {
        Collection<Object> ids = e.getKnownPropertyIds();
        List<String> known =
                ids == null ? List.of() : ids.stream().map(String::valueOf).toList();
        return unknownField(e.getPropertyName(), known);
    }

    private static String unknownField(String field, List<String> known) {
        String name = Printable.text(field, MAX_PRINTED);
        return SimilarNames.of(name, known).stream()
                .findFirst()
                .map(meant -> "the field \"%s\" is not known; the nearest is \"%s\"".formatted(name, meant))
                .orElse("the field \"%s\" is not known; allowed is %s"
                        .formatted(name, known.stream().sorted().collect(Collectors.joining(", "))));
    }

    private static String printable(JsonNode node) {
        return node.isMissingNode() ? "missing" : Printable.text(node.toString(), MAX_PRINTED);
    }

    private static JsonNode at(JsonNode tree, List<JsonMappingException.Reference> path) {
        JsonNode node = tree;
        for (JsonMappingException.Reference step : path) {
            node = step.getFieldName() == null ? node.path(step.getIndex()) : node.path(step.getFieldName());
        }
        return node;
    }

    private static String text(List<JsonMappingException.Reference> path) {
        return path.stream()
                .map(step ->
                        step.getFieldName() == null ? "[%d]".formatted(step.getIndex()) : "." + step.getFieldName())
                .collect(Collectors.joining())
                .replaceFirst("^\\.", "");
    }

    private static String kind(MismatchedInputException e) {
        Class<?> target = e.getTargetType();
        if (target == null) {
            return "of another kind";
        } else if (target == Integer.class || target == int.class) {
            return "a whole number";
        } else if (target == Double.class || target == double.class) {
            return "a number";
        } else if (target == String.class) {
            return "text, in quotes";
        } else if (target == Boolean.class || target == boolean.class) {
            return "true or false";
        } else if (target.isEnum()) {
            return "one of " + constants(target);
        } else if (Collection.class.isAssignableFrom(target) || target == Shape.class) {
            return "a list in brackets, [...]";
        }
        return "an object in braces, {...}";
    }

    private static List<String> constants(Class<?> type) {
        List<String> names = new ArrayList<>();
        for (Field constant : type.getFields()) {
            JsonProperty name = constant.getAnnotation(JsonProperty.class);
            if (name != null) {
                names.add(name.value());
            }
        }
        return names;
    }
}
