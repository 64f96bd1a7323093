package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.module.paramnames.ParameterNamesModule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Jobs as JSON. Reading is strict: an unknown field is an error, because ignoring it would run another job than
/// the requested one.
public final class JobJson {
    /// The longest command in bytes; a longer one is refused without parsing it.
    public static final int MAX_BYTES = 1 << 20;

    /// The deepest nesting of lists and objects. Valid jobs need less than half of it; deserializing hundreds of
    /// levels would overflow a thread's stack.
    public static final int MAX_NESTING = 64;

    private static final JsonMapper MAPPER = strictMapper()
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .build();

    private JobJson() {}

    /// For mappers that read jobs or parts of them: gives missing fields their defaults.
    public static Module fields() {
        return FieldDefaults.module();
    }

    /// For input by users: refuses unknown and repeated fields, and values of other types.
    public static JsonMapper.Builder strictMapper() {
        return JsonMapper.builder()
                .addModules(new ParameterNamesModule(), fields())
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .withCoercionConfig(LogicalType.Textual, text -> {
                    text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
                    text.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
                    text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
                });
    }

    /// @throws InvalidJobException with a sentence for the author of the command about each mistake
    public static JobSpec read(byte[] json) {
        requireLength(json.length);
        return read(tree(json));
    }

    /// Reads the output of [#write], of any length: defaults can make it longer than the command was.
    ///
    /// @throws InvalidJobException if it is not a job
    public static JobSpec readWritten(String json) {
        return read(tree(json.getBytes(StandardCharsets.UTF_8)));
    }

    private static JsonNode tree(byte[] json) {
        try {
            return MAPPER.readTree(json);
        } catch (JacksonException e) {
            throw JobJsonError.notJson(e);
        } catch (IOException e) {
            throw new UncheckedIOException("reading from memory cannot fail", e);
        }
    }

    /// Like [#read(byte[])], for a reader of the given schema version.
    ///
    /// @param schemaVersion see [JobSchemaVersion]
    public static JobSpec read(byte[] json, int schemaVersion) {
        requireLength(json.length);
        return read(tree(json), schemaVersion);
    }

    /// Like [#read(JsonNode)], for a reader of the given schema version.
    ///
    /// @param schemaVersion see [JobSchemaVersion]
    public static JobSpec read(JsonNode json, int schemaVersion) {
        if (json instanceof ObjectNode) {
            JobSchemaVersion.OURS.requireWithin(schemaVersion, json);
        }
        return read(json);
    }

    /// The id of an unreadable job; empty if it has no valid one.
    public static Optional<String> id(byte[] json) {
        try {
            String id = tree(json).path("id").textValue();
            return Optional.ofNullable(id).filter(JobSpec::isId);
        } catch (InvalidJobException _) {
            return Optional.empty();
        }
    }

    /// @throws InvalidJobException if a command of this length is too long
    public static void requireLength(int bytes) {
        if (bytes > MAX_BYTES) {
            throw new InvalidJobException("the command has %d bytes; allowed is up to %d".formatted(bytes, MAX_BYTES));
        }
    }

    /// @throws InvalidJobException with a sentence for the author of the job about each mistake
    public static JobSpec read(JsonNode json) {
        if (!(json instanceof ObjectNode job)) {
            throw JobJsonError.notAnObject(json);
        }
        if (nestedDeeper(json, MAX_NESTING)) {
            throw new InvalidJobException(
                    "the command has more than %d lists and objects within one another; allowed is up to %d"
                            .formatted(MAX_NESTING, MAX_NESTING));
        }
        try {
            return parse(job);
        } catch (JsonProcessingException | InvalidJobException e) {
            throw JobMistakes.of(e, job);
        }
    }

    private static JobSpec parse(ObjectNode json) throws JsonProcessingException {
        requireFieldsOfItsKind(json);
        JobSpec job = MAPPER.treeToValue(json, JobSpec.class);
        if (json.hasNonNull("device") && json.hasNonNull("devices")) {
            throw new InvalidJobException("device is %s, but devices are given, too; leave out one of the two"
                    .formatted(json.path("device")));
        }
        return job;
    }

    /// The first error of reading a job; empty if it is valid.
    static Optional<Exception> whyUnreadable(ObjectNode json) {
        try {
            var _ = parse(json);
            return Optional.empty();
        } catch (JsonProcessingException | InvalidJobException e) {
            return Optional.of(e);
        }
    }

    private static boolean nestedDeeper(JsonNode json, int allowed) {
        if (!json.isContainerNode()) {
            return false;
        }
        return allowed == 0 || json.valueStream().anyMatch(value -> nestedDeeper(value, allowed - 1));
    }

    /// A training field of an evaluation must not be ignored: it would run another job than the requested one.
    private static void requireFieldsOfItsKind(ObjectNode json) {
        JobKind kind = kind(json);
        for (var field : json.properties()) {
            if (!field.getValue().isNull() && !kind.has(field.getKey())) {
                throw new InvalidJobException("%s is %s, but a job of kind \"evaluate\" does not train; leave it out"
                        .formatted(
                                field.getKey(), Check.shortened(field.getValue().toString())));
            }
        }
    }

    static JobKind kind(ObjectNode json) {
        return json.path("kind").asText().equals("evaluate") ? JobKind.EVALUATE : JobKind.TRAIN;
    }

    /// Names of the fields that deserialize into `type`.
    static Set<String> fields(JavaType type) {
        return MAPPER.getDeserializationConfig().introspect(type).findProperties().stream()
                .filter(BeanPropertyDefinition::couldDeserialize)
                .map(BeanPropertyDefinition::getName)
                .collect(Collectors.toSet());
    }

    /// The discriminator field of a polymorphic type; empty for other types.
    static String typeField(JavaType type) {
        JsonTypeInfo chosen = MAPPER.getDeserializationConfig()
                .introspectClassAnnotations(type)
                .getClassAnnotations()
                .get(JsonTypeInfo.class);
        return chosen == null ? "" : chosen.property();
    }

    /// Whether `json` deserializes to this job.
    static boolean is(ObjectNode json, JobSpec job) {
        try {
            return parse(json).equals(job);
        } catch (JsonProcessingException | InvalidJobException _) {
            return false;
        }
    }

    /// A job as a command that as many workers as possible can read: fields newer than the first schema version are
    /// left out if they have their default.
    public static JobSchemaVersion.Written command(JobSpec job) {
        return JobSchemaVersion.OURS.write(job, MAPPER.valueToTree(job));
    }

    /// One line with all fields of jobs of this kind, including defaults.
    public static String write(JobSpec job) {
        try {
            return MAPPER.writeValueAsString(job);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a job is always writable", e);
        }
    }
}
