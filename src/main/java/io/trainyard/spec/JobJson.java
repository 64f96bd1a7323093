package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
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

/// Jobs as JSON. Reading is strict: an unknown field is an error, because ignoring it would run another job
/// than the one that was asked for.
public final class JobJson {
    /// The longest command that is read, in bytes; a longer one is refused unread.
    public static final int MAX_BYTES = 1 << 20;

    /// Lists and objects within one another that are read. No valid job has half as many; making objects of
    /// hundreds would overflow a thread's stack.
    public static final int MAX_NESTING = 64;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(new ParameterNamesModule())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(LogicalType.Textual, text -> {
                text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
                text.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
                text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
            })
            .build();

    private JobJson() {}

    /// @throws InvalidJobException with a sentence for the person who wrote the command, about each mistake in it
    public static JobSpec read(byte[] json) {
        requireLength(json.length);
        return read(tree(json));
    }

    /// As [#write] wrote it, however long that is: a short command can be long once its defaults are written, too.
    ///
    /// @throws InvalidJobException if it is no job
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

    /// As [#read(byte[])], for whoever understands no more than a contract.
    ///
    /// @param contract see [JobContract]
    public static JobSpec read(byte[] json, int contract) {
        requireLength(json.length);
        return read(tree(json), contract);
    }

    /// As [#read(JsonNode)], for whoever understands no more than a contract.
    ///
    /// @param contract see [JobContract]
    public static JobSpec read(JsonNode json, int contract) {
        if (json instanceof ObjectNode) {
            JobContract.OURS.requireWithin(contract, json);
        }
        return read(json);
    }

    /// The id of a job that cannot be read; empty where it has none that is one.
    public static Optional<String> id(byte[] json) {
        try {
            String id = tree(json).path("id").textValue();
            return Optional.ofNullable(id).filter(JobSpec::isId);
        } catch (InvalidJobException _) {
            return Optional.empty();
        }
    }

    /// @throws InvalidJobException if a command of so many bytes is longer than what is read
    public static void requireLength(int bytes) {
        if (bytes > MAX_BYTES) {
            throw new InvalidJobException("the command has %d bytes; allowed is up to %d".formatted(bytes, MAX_BYTES));
        }
    }

    /// @throws InvalidJobException with a sentence for the person who wrote the job, about each mistake in it
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
        return MAPPER.treeToValue(json, JobSpec.class);
    }

    /// What stops the reading of a job; empty if nothing does.
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

    /// Ignoring a field that says how to train would run another job than was asked for.
    private static void requireFieldsOfItsKind(ObjectNode json) {
        JobKind kind = kind(json);
        for (var field : json.properties()) {
            if (!field.getValue().isNull() && !kind.has(field.getKey())) {
                throw new InvalidJobException("%s is %s, but a job of kind \"evaluate\" trains nothing; leave it out"
                        .formatted(
                                field.getKey(), Check.shortened(field.getValue().toString())));
            }
        }
    }

    /// What kind a job says it is of.
    static JobKind kind(ObjectNode json) {
        return json.path("kind").asText().equals("evaluate") ? JobKind.EVALUATE : JobKind.TRAIN;
    }

    /// The fields that are read into an object of `type`.
    static Set<String> fields(JavaType type) {
        return MAPPER.getDeserializationConfig().introspect(type).findProperties().stream()
                .filter(BeanPropertyDefinition::couldDeserialize)
                .map(BeanPropertyDefinition::getName)
                .collect(Collectors.toSet());
    }

    /// The field that chooses among the types of which `type` is one; empty where it is the only one.
    static String typeField(JavaType type) {
        JsonTypeInfo chosen = MAPPER.getDeserializationConfig()
                .introspectClassAnnotations(type)
                .getClassAnnotations()
                .get(JsonTypeInfo.class);
        return chosen == null ? "" : chosen.property();
    }

    /// Whether that is what is read from `json`.
    static boolean is(ObjectNode json, JobSpec job) {
        try {
            return parse(json).equals(job);
        } catch (JsonProcessingException | InvalidJobException _) {
            return false;
        }
    }

    /// As a command says it, so that as many as possible can read it: what is newer than the first contract and has
    /// its default is left out.
    public static JobContract.Written command(JobSpec job) {
        return JobContract.OURS.write(job, MAPPER.valueToTree(job));
    }

    /// One line; every field that jobs of its kind have is written, defaults too.
    public static String write(JobSpec job) {
        try {
            return MAPPER.writeValueAsString(job);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a job is always writable", e);
        }
    }
}
