package io.trainyard.spec;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.module.paramnames.ParameterNamesModule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.stream.Collectors;

/// Jobs as JSON. Reading is strict: an unknown field is an error, because ignoring it would run another job than the
/// one that was asked for.
public final class JobJson {
    /// The longest command that is read, in bytes; a longer one is refused unread.
    public static final int MAX_BYTES = 1 << 20;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(new ParameterNamesModule())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .build();

    private JobJson() {}

    /// @throws InvalidJobException with a sentence for the person who wrote the command
    public static JobSpec read(byte[] json) {
        if (json.length > MAX_BYTES) {
            throw new InvalidJobException(
                    "the command has %d bytes; allowed is up to %d".formatted(json.length, MAX_BYTES));
        }
        try {
            return required(MAPPER.readValue(json, JobSpec.class));
        } catch (JacksonException e) {
            throw explain(e);
        } catch (IOException e) {
            throw new UncheckedIOException("reading from memory cannot fail", e);
        }
    }

    /// @throws InvalidJobException with a sentence for the person who wrote the job
    public static JobSpec read(JsonNode json) {
        try {
            return required(MAPPER.treeToValue(json, JobSpec.class));
        } catch (JsonProcessingException e) {
            throw explain(e);
        }
    }

    /// One line; every field is written, defaults too.
    public static String write(JobSpec job) {
        try {
            return MAPPER.writeValueAsString(job);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a job is always writable", e);
        }
    }

    private static JobSpec required(JobSpec job) {
        if (job == null) {
            throw new InvalidJobException("the command is null; it must be a JSON object such as {\"id\": ...}");
        }
        return job;
    }

    private static InvalidJobException explain(JacksonException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidJobException invalid) {
                return invalid;
            }
        }
        return new InvalidJobException(
                switch (e) {
                    case UnrecognizedPropertyException unknown ->
                        "the field \"%s\" is not known%s; allowed is %s"
                                .formatted(
                                        Check.shortened(unknown.getPropertyName()),
                                        where(unknown),
                                        joined(unknown.getKnownPropertyIds()));
                    case InvalidTypeIdException type ->
                        "the type \"%s\"%s is not known or missing: %s"
                                .formatted(
                                        Check.shortened(String.valueOf(type.getTypeId())),
                                        where(type),
                                        firstLine(type.getOriginalMessage()));
                    case InvalidFormatException format ->
                        "%s is \"%s\", which is not a %s"
                                .formatted(
                                        path(format),
                                        Check.shortened(String.valueOf(format.getValue())),
                                        format.getTargetType().getSimpleName());
                    case MismatchedInputException mismatch ->
                        path(mismatch) + " has the wrong kind of value: " + firstLine(mismatch.getOriginalMessage());
                    case JsonMappingException mapping ->
                        path(mapping) + " cannot be read: " + firstLine(mapping.getOriginalMessage());
                    default ->
                        "the command is not JSON: %s (line %d, column %d)"
                                .formatted(
                                        firstLine(e.getOriginalMessage()),
                                        e.getLocation() == null
                                                ? 0
                                                : e.getLocation().getLineNr(),
                                        e.getLocation() == null
                                                ? 0
                                                : e.getLocation().getColumnNr());
                },
                e);
    }

    private static String joined(Collection<Object> names) {
        return names == null
                ? "nothing"
                : names.stream().map(String::valueOf).sorted().collect(Collectors.joining(", "));
    }

    private static String where(JsonMappingException e) {
        String parent = e.getPath().stream()
                .limit(Math.max(0, e.getPath().size() - 1))
                .map(JobJson::step)
                .collect(Collectors.joining("."));
        return parent.isEmpty() ? "" : " in " + parent;
    }

    private static String path(JsonMappingException e) {
        return e.getPath().isEmpty()
                ? "the command"
                : e.getPath().stream().map(JobJson::step).collect(Collectors.joining("."));
    }

    private static String step(JsonMappingException.Reference reference) {
        return reference.getFieldName() == null ? "[" + reference.getIndex() + "]" : reference.getFieldName();
    }

    private static String firstLine(String message) {
        String line = message.lines().findFirst().orElse("");
        return line.length() <= 300 ? line : line.substring(0, 297) + "...";
    }
}
