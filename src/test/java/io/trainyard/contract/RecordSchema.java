package io.trainyard.contract;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.custody.Custody;
import io.trainyard.event.Control;
import io.trainyard.event.JobNews;
import io.trainyard.event.WorkerStatus;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Shape;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// JSON Schemas of what the program says: an object for a record, whose fields are there unless they may be null. It
/// says what is there and lets anything else stand beside it, for a record may gain fields.
final class RecordSchema {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /// Of those that have no word of it in their comments.
    private static final Map<String, String> FIELDS = Map.of(
            "job", "The job's id.",
            "attempt", "Grows each time the job is begun or gone on with; counts from 1.",
            "time", "When it happened: ISO 8601 in UTC, with milliseconds.",
            "worker", "The worker's id.",
            "device", "What it runs on: `cpu`, `cuda:0`, `cuda:0+cuda:1`.");

    private static final String JOB =
            "The job with all defaults: by `job-requested.json` of the version that wrote it; a later one's may have more.";

    private RecordSchema() {}

    /// @param type one of those that events are
    static ObjectNode event(Class<?> type) {
        ObjectNode event = object(type);
        ObjectNode fields = JSON.objectNode();
        fields.putObject("type").put("const", word(type));
        event.get("properties").properties().forEach(field -> {
            fields.set(field.getKey(), field.getValue());
            if (field.getKey().equals("attempt")) {
                fields.set("time", described(time(), FIELDS.get("time")));
            }
        });
        event.set("properties", fields);
        ((ArrayNode) event.get("required")).insert(0, "type").insert(3, "time");
        return event;
    }

    /// As [TrainingEvent] calls it.
    static String word(Class<?> event) {
        String name = event.getSimpleName();
        return Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }

    static ObjectNode status() {
        return object(WorkerStatus.class);
    }

    static ObjectNode control() {
        return object(Control.class);
    }

    static ObjectNode custody() {
        return object(Custody.class);
    }

    private static ObjectNode object(Class<?> type) {
        SourceDocs docs = SourceDocs.of(type);
        ObjectNode schema = JSON.objectNode();
        if (!docs.text().isEmpty()) {
            schema.put("description", docs.text());
        }
        schema.put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = schema.putArray("required");
        for (RecordComponent field : type.getRecordComponents()) {
            String told = docs.fields().getOrDefault(field.getName(), FIELDS.get(field.getName()));
            properties.set(field.getName(), described(value(field), told));
            if (!field.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                required.add(field.getName());
            }
        }
        return schema;
    }

    /// What may be null in the program is absent in JSON.
    private static ObjectNode described(ObjectNode schema, @Nullable String told) {
        ObjectNode described = JSON.objectNode();
        if (told != null && !schema.has("description")) {
            described.put("description", told.replaceAll("\\bnull\\b", "absent"));
        }
        return described.setAll(schema);
    }

    private static ObjectNode value(RecordComponent field) {
        ObjectNode value = value(field.getGenericType());
        if (Set.of("job", "worker").contains(field.getName()) && field.getType() == String.class) {
            value.put("minLength", 1).put("maxLength", JobNews.MAX_ID);
        } else if (field.getName().equals("attempt")) {
            value.put("minimum", 1);
        } else if (field.getName().equals("losses")) {
            value.set("items", JobSchema.anyOf(type("number"), words("NaN", "Infinity", "-Infinity")));
        }
        return value;
    }

    private static ObjectNode value(Type type) {
        if (type instanceof ParameterizedType map && map.getRawType() == Map.class) {
            ObjectNode named = type("object");
            named.set("additionalProperties", value(map.getActualTypeArguments()[1]));
            return named;
        } else if (type instanceof ParameterizedType list) {
            return list(value(list.getActualTypeArguments()[0]));
        } else if (type instanceof Class<?> raw && raw.isArray()) {
            return list(value(raw.getComponentType()));
        } else if (type == int.class || type == Integer.class) {
            return type("integer").put("format", "int32");
        } else if (type == long.class || type == Long.class) {
            return type("integer").put("format", "int64");
        } else if (type == double.class || type == Double.class || type == float.class) {
            return type("number");
        } else if (type == boolean.class || type == Boolean.class) {
            return type("boolean");
        } else if (type == String.class || type == CheckpointName.class) {
            return type("string");
        } else if (type == Instant.class) {
            return time();
        } else if (type == Shape.class) {
            return list(type("integer"));
        } else if (type == JobSpec.class) {
            ObjectNode job = type("object").put("description", JOB);
            job.putObject("properties").set("id", type("string"));
            job.putArray("required").add("id");
            return job;
        } else if (type instanceof Class<?> raw && raw.isEnum()) {
            return words(Arrays.stream(raw.getFields()).map(RecordSchema::word).toArray(String[]::new));
        } else if (type instanceof Class<?> raw && raw.isRecord()) {
            return object(raw);
        }
        throw new IllegalStateException("no schema is known for " + type);
    }

    private static String word(java.lang.reflect.Field constant) {
        JsonProperty word = constant.getAnnotation(JsonProperty.class);
        return word == null ? constant.getName().toLowerCase(Locale.ROOT) : word.value();
    }

    private static ObjectNode type(String type) {
        return JobSchema.type(type);
    }

    private static ObjectNode list(ObjectNode items) {
        return type("array").set("items", items);
    }

    static ObjectNode words(String... words) {
        ObjectNode schema = type("string");
        for (String word : words) {
            schema.withArray("enum").add(word);
        }
        return schema;
    }

    static ObjectNode time() {
        return type("string")
                .put("format", "date-time")
                .put("pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$");
    }
}
