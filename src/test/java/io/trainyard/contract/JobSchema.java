package io.trainyard.contract;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.spec.BatchMomentum;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Extent;
import io.trainyard.spec.JobForms;
import io.trainyard.spec.JobLimits;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Padding;
import io.trainyard.spec.Scale;
import io.trainyard.spec.SweepSpec;
import java.lang.reflect.Executable;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The JSON Schema of jobs, made of what reads them: names and types of fields are those of the records, and what may
/// be left out, what that stands for and between which bounds a number may be is found by reading jobs. It is as
/// strict as the reader, but for what [JobRules] and `docs/contract/README.md` say.
final class JobSchema {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /// A list of so many has no bound.
    private static final int MANY = 2_000;

    private final ObjectNode definitions = JSON.objectNode();

    private JobSchema() {}

    /// Definitions by their names; that of a whole job is `job`.
    static ObjectNode definitions() {
        JobSchema schema = new JobSchema();
        schema.define("job", JobSpec.class, Place.WHOLE);
        return schema.definitions;
    }

    private ObjectNode define(String name, Class<?> type, Place place) {
        if (!definitions.has(name)) {
            definitions.set(name, JSON.objectNode()); // so that it may stand within itself
            definitions.set(name, object(name, type, place));
        }
        return reference(name);
    }

    static ObjectNode reference(String name) {
        return JSON.objectNode().put("$ref", "#/$defs/" + name);
    }

    private ObjectNode object(String name, Class<?> type, Place place) {
        SourceDocs docs = SourceDocs.of(type);
        ObjectNode schema = JSON.objectNode();
        if (!docs.text().isEmpty()) {
            schema.put("description", docs.text());
        }
        schema.put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = JSON.arrayNode();
        Optional<String> chosen = place.chosenType();
        chosen.ifPresent(word -> {
            properties.putObject("type").put("const", word);
            required.add("type");
        });
        for (Parameter parameter : parameters(type)) {
            Field field = new Field(type, parameter.getName(), place);
            ObjectNode value = value(parameter.getParameterizedType(), field);
            String told = docs.fields().get(field.name());
            properties.set(
                    field.name(), described(field.isRequired() ? value : orNull(value), told, field.defaultValue()));
            if (field.isRequired()) {
                required.add(field.name());
            }
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        schema.put("additionalProperties", false);
        JobRules.of(name).ifPresent(rules -> schema.set("allOf", rules));
        return schema;
    }

    private static ObjectNode described(ObjectNode schema, @Nullable String told, @Nullable JsonNode defaultValue) {
        ObjectNode described = JSON.objectNode();
        if (told != null) {
            described.put("description", told);
        }
        described.setAll(schema);
        if (defaultValue != null) {
            described.set("default", defaultValue);
        }
        return described;
    }

    /// What an object is read by: its creator, and where there is none the record's own constructor.
    private static Parameter[] parameters(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Optional.ofNullable(method.getAnnotation(JsonCreator.class))
                        .filter(creator -> creator.mode() != JsonCreator.Mode.DELEGATING)
                        .isPresent())
                .map(Executable.class::cast)
                .findFirst()
                .orElseGet(() -> canonical(type))
                .getParameters();
    }

    private static Executable canonical(Class<?> type) {
        int fields = type.getRecordComponents().length;
        return Arrays.stream(type.getDeclaredConstructors())
                .filter(constructor -> constructor.getParameterCount() == fields)
                .findFirst()
                .orElseThrow();
    }

    /// A field may be given as null, which stands for leaving it out.
    private static ObjectNode orNull(ObjectNode schema) {
        if (schema.has("enum")) {
            ((ArrayNode) schema.get("enum")).addNull();
        }
        if (schema.path("type").isTextual()) {
            schema.set("type", JSON.arrayNode().add(schema.get("type")).add("null"));
        } else if (schema.has("anyOf")) {
            ((ArrayNode) schema.get("anyOf")).add(type("null"));
        } else if (schema.has("$ref")) {
            return anyOf(schema, type("null"));
        }
        return schema;
    }

    static ObjectNode anyOf(JsonNode... schemas) {
        ObjectNode any = JSON.objectNode();
        any.set("anyOf", JSON.arrayNode().addAll(List.of(schemas)));
        return any;
    }

    static ObjectNode type(String type) {
        return JSON.objectNode().put("type", type);
    }

    private static ObjectNode words(Stream<String> words) {
        ObjectNode schema = type("string");
        words.forEach(schema.withArray("enum")::add);
        return schema;
    }

    private static ObjectNode matching(String regex) {
        return type("string").put("pattern", "^(?:" + regex + ")$");
    }

    private ObjectNode value(java.lang.reflect.Type type, Field field) {
        if (type instanceof ParameterizedType list) {
            return list(list.getActualTypeArguments()[0], field);
        }
        Class<?> raw = (Class<?>) type;
        if (raw == Integer.class || raw == int.class) {
            return wholeNumber(field, Integer.MIN_VALUE, Integer.MAX_VALUE);
        } else if (raw == Long.class || raw == long.class) {
            return wholeNumber(field, Long.MIN_VALUE, Long.MAX_VALUE);
        } else if (raw == Double.class || raw == double.class) {
            return number(field);
        } else if (raw == Boolean.class || raw == boolean.class) {
            return truth(field);
        } else if (raw == String.class) {
            return text(field);
        } else if (raw == Extent.class) {
            return bothWays(wholeNumber(field, Integer.MIN_VALUE, Integer.MAX_VALUE));
        } else if (raw == Padding.class) {
            ObjectNode extent = bothWays(wholeNumber(field, Integer.MIN_VALUE, Integer.MAX_VALUE));
            extent.withArray("anyOf").add(words(Stream.of("same")));
            return extent;
        } else if (raw == Scale.class) {
            return bothWays(number(field));
        } else if (raw == BatchMomentum.class) {
            return anyOf(number(field), words(Stream.of("cumulative")));
        } else if (raw == CheckpointName.class) {
            return matching(JobForms.CHECKPOINT);
        } else if (raw == DeviceSpec.class) {
            return matching(JobForms.DEVICE);
        } else if (raw == SweepSpec.class) {
            return sweep();
        } else if (raw == NetworkSpec.class) {
            return anyOf(words(JobForms.networks()), define("network", raw, field.place()));
        } else if (raw == DatasetSpec.class) {
            return anyOf(matching(JobForms.DATASET), define("dataset", raw, field.place()));
        } else if (raw.isEnum()) {
            return words(Arrays.stream(raw.getFields())
                    .map(constant -> constant.getAnnotation(JsonProperty.class).value()));
        }
        return one(raw, field.place());
    }

    /// Lists of values and ranges, by the paths of fields.
    private static ObjectNode sweep() {
        ObjectNode range = type("object");
        range.putObject("properties").set("min", type("number"));
        range.withObject("/properties").set("max", type("number"));
        ObjectNode scale = words(Stream.of("linear", "log"));
        scale.withArray("enum").addNull();
        scale.set("type", JSON.arrayNode().add("string").add("null"));
        range.withObject("/properties").set("scale", scale);
        range.set("required", JSON.arrayNode().add("min").add("max"));
        range.put("additionalProperties", false);
        ObjectNode choices = type("array").put("minItems", 1).put("maxItems", JobLimits.MAX_TRIALS);
        choices.putObject("items").putObject("not").put("type", "null");
        choices.put("uniqueItems", true);
        ObjectNode sweep = type("object").put("minProperties", 1).put("maxProperties", SweepSpec.MAX_FIELDS);
        sweep.putObject("propertyNames").put("pattern", "^(?:" + JobForms.PATH + ")$");
        return sweep.set("additionalProperties", anyOf(choices, range));
    }

    /// An object that is a record, or one of several.
    private ObjectNode one(Class<?> type, Place place) {
        JsonSubTypes kinds = type.getAnnotation(JsonSubTypes.class);
        String name = Character.toLowerCase(type.getSimpleName().charAt(0))
                + type.getSimpleName().substring(1).replaceFirst("Spec$", "");
        if (kinds == null) {
            return define(name, type, place);
        }
        if (!definitions.has(name)) {
            ObjectNode union = definitions.putObject(name);
            String told = SourceDocs.of(type).text();
            union.put("description", told);
            union.put("type", "object").putArray("required").add("type");
            ArrayNode alternatives = union.putArray("oneOf");
            for (JsonSubTypes.Type kind : kinds.value()) {
                alternatives.add(define(name + "-" + kind.name(), kind.value(), place.ofType(kind.name())));
            }
        }
        return reference(name);
    }

    private static ObjectNode wholeNumber(Field field, long least, long most) {
        ObjectNode schema = type("integer");
        long step = field.path().equals("Cutout.size") ? 2 : 1;
        if (step > 1) {
            schema.put("multipleOf", step);
        }
        long taken = Stream.of(1L, 2L, 8L).filter(field::takes).findFirst().orElseThrow(field::isUnknown);
        Bounds.ofWholeNumbers(schema, taken / step, least / step, most / step, number -> field.takes(number * step));
        schema.put("minimum", schema.get("minimum").asLong() * step);
        schema.put("maximum", schema.get("maximum").asLong() * step);
        return schema;
    }

    private static ObjectNode number(Field field) {
        ObjectNode schema = type("number");
        double taken = Stream.of(0.5, 2.0).filter(field::takes).findFirst().orElseThrow(field::isUnknown);
        Bounds.ofNumbers(schema, taken, field::takes);
        return schema;
    }

    /// One for both ways, or two.
    private static ObjectNode bothWays(ObjectNode each) {
        ObjectNode both = type("array");
        both.set("items", each);
        return anyOf(each, both.put("minItems", 2).put("maxItems", 2));
    }

    private static ObjectNode truth(Field field) {
        return field.takes(JSON.booleanNode(false))
                ? type("boolean")
                : type("boolean").set("enum", JSON.arrayNode().add(true));
    }

    private static ObjectNode text(Field field) {
        return switch (field.path()) {
            case "JobSpec.id", "JobSpec.group" ->
                matching(JobForms.ID).put("minLength", 1).put("maxLength", 100);
            case "JobSpec.project" -> matching(JobForms.ID).put("minLength", 1).put("maxLength", 63);
            case "DatasetSpec.name" -> matching(JobForms.DATASET);
            case "Gelu.approximate" -> words(JobForms.approximations());
            case "Upsample.mode" -> words(JobForms.modes());
            default -> {
                if (LayerSpec.class.isAssignableFrom(field.of()) && field.name().equals("name")) {
                    yield matching(JobForms.LAYER);
                }
                throw field.isUnknown();
            }
        };
    }

    private ObjectNode list(java.lang.reflect.Type of, Field field) {
        ObjectNode schema = type("array");
        schema.set("items", value(of, field.listed()));
        int least = (int) Stream.iterate(0L, size -> size + 1)
                .limit(4)
                .filter(size -> field.takes(list(of, size)))
                .findFirst()
                .orElseThrow(field::isUnknown)
                .longValue();
        if (least > 0) {
            schema.put("minItems", least);
        }
        long most = Bounds.last(least, MANY, size -> field.takes(list(of, size)));
        if (most < MANY) {
            schema.put("maxItems", most);
        }
        return of == Integer.class && field.takes(JSON.numberNode(1)) ? anyOf(schema.get("items"), schema) : schema;
    }

    private static ArrayNode list(java.lang.reflect.Type of, long size) {
        Map<java.lang.reflect.Type, JsonNode> values = Map.of(
                Double.class, JSON.numberNode(1.0),
                DeviceSpec.class, JSON.textNode("cpu"),
                LayerSpec.class, JSON.objectNode().put("type", "relu"));
        ArrayNode list = JSON.arrayNode();
        for (int i = 1; i <= size; i++) {
            list.add(values.getOrDefault(of, JSON.numberNode(i)));
        }
        return list;
    }
}
