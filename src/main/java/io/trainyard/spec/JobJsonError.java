package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Error messages for the authors of unreadable commands. Jackson's messages are for Java programmers.
final class JobJsonError {
    private static final String OBJECT = "a JSON object such as {\"id\": \"my-job\", \"network\": \"lenet\", ...}";

    private JobJsonError() {}

    static InvalidJobException notJson(JacksonException e) {
        String problem = e.getOriginalMessage()
                .replaceAll("(?s)\n.*", "")
                .replaceAll(": enable `.*", "") // a parser option
                .replaceAll(", from `[^`]*`", "") // a parser method
                .replaceAll(" \\(start marker at .*", "");
        JsonLocation at = e.getLocation();
        String where = at == null || at.getLineNr() < 1
                ? ""
                : " (line %d, column %d)".formatted(at.getLineNr(), at.getColumnNr());
        return new InvalidJobException("the command is not JSON: " + Check.shortened(problem, 300) + where, e);
    }

    static InvalidJobException notAnObject(JsonNode found) {
        String what = found.isMissingNode() ? "empty" : Check.shortened(found.toString());
        return new InvalidJobException("the command is %s; it must be %s".formatted(what, OBJECT));
    }

    /// A mistake at one place of a job.
    sealed interface Mistake {
        String sentence();

        /// @param path to the value; empty if the job as a whole was refused
        record WrongValue(String sentence, List<JsonMappingException.Reference> path) implements Mistake {}

        /// @param parent path to the object with the field
        /// @param meant the known field with the most similar name; empty if none is similar
        record UnknownField(
                String sentence, List<JsonMappingException.Reference> parent, String name, Optional<String> meant)
                implements Mistake {}
    }

    /// @param e the exception of reading the job
    /// @param json the whole job, to show the value that was refused
    static Mistake explain(Exception e, JsonNode json) {
        List<JsonMappingException.Reference> path =
                e instanceof JsonMappingException m ? withoutIndexOfOne(m.getPath(), json) : List.of();
        JsonNode found = at(json, path);
        Optional<Mistake> unknown = unknownFieldBeside(e, path, found);
        return unknown.orElseGet(() -> switch (e) {
            case UnrecognizedPropertyException unrecognized -> unknownField(unrecognized, path);
            default -> new Mistake.WrongValue(sentence(e, path, found), path);
        });
    }

    /// Jackson calls a single value in place of a list the value at index 0.
    private static List<JsonMappingException.Reference> withoutIndexOfOne(
            List<JsonMappingException.Reference> path, JsonNode json) {
        boolean inList = !path.isEmpty() && path.getLast().getFieldName() == null;
        List<JsonMappingException.Reference> list = path.subList(0, Math.max(0, path.size() - 1));
        return inList && !at(json, list).isArray() ? list : path;
    }

    private static String sentence(Exception e, List<JsonMappingException.Reference> path, JsonNode found) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidJobException invalid) {
                boolean inList = path.stream().anyMatch(step -> step.getFieldName() == null);
                return (inList ? text(path) + ": " : "") + invalid.getMessage();
            }
        }
        return switch (e) {
            case InvalidTypeIdException type when found.isObject() -> unknownType(type, path, found);
            case InvalidTypeIdException type ->
                wrongKind(path, found, type.getBaseType().getRawClass());
            case MismatchedInputException mismatch -> wrongKind(path, found, boxed(mismatch.getTargetType()));
            default -> wrongKind(path, found, null);
        };
    }

    private static Mistake unknownField(UnrecognizedPropertyException e, List<JsonMappingException.Reference> path) {
        Collection<Object> known = e.getKnownPropertyIds();
        return unknownField(
                e.getPropertyName(),
                path.subList(0, Math.max(0, path.size() - 1)),
                known == null ? List.of() : known.stream().map(String::valueOf).toList());
    }

    private static Mistake unknownField(
            String name, List<JsonMappingException.Reference> parent, Collection<String> known) {
        Optional<String> meant = SimilarNames.of(name, known).stream().findFirst();
        String sentence = "the field \"%s\"%s is not known; %s"
                .formatted(
                        Check.shortened(name),
                        parent.isEmpty() ? "" : " of " + text(parent),
                        meant.or(() -> parent.isEmpty() ? inside(name) : Optional.empty())
                                .map("the nearest is \"%s\""::formatted)
                                .orElse("allowed is " + (known.isEmpty() ? "none" : joined(known))));
        return new Mistake.UnknownField(sentence, parent, name, meant);
    }

    /// The field of the optimizer or the dataset that a field of the job seems to mean, such as
    /// `optimizer.learningRate` for `lr`.
    private static Optional<String> inside(String name) {
        return Map.of("optimizer.", OptimizerSpec.AdamW.class, "dataset.", DatasetSpec.class).entrySet().stream()
                .flatMap(object ->
                        SimilarNames.of(name, names(object.getValue())).stream().map(object.getKey()::concat))
                .findFirst();
    }

    private static List<String> names(Class<? extends Record> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
    }

    /// Jackson constructs the object before it checks for unknown fields, so a misspelt field would be reported
    /// as a missing one.
    private static Optional<Mistake> unknownFieldBeside(
            Exception e, List<JsonMappingException.Reference> path, JsonNode found) {
        if (!(e instanceof ValueInstantiationException refused)) {
            return Optional.empty();
        }
        Set<String> known = JobJson.fields(refused.getType());
        if (known.isEmpty()) { // it reads its fields itself, as a sweep does: their names are those of the job
            return Optional.empty();
        }
        return found.properties().stream()
                .map(Map.Entry::getKey)
                .filter(name -> !known.contains(name))
                .filter(name -> !name.equals(JobJson.typeField(refused.getType())))
                .findFirst()
                .map(name -> unknownField(name, path, known));
    }

    private static String unknownType(
            InvalidTypeIdException e, List<JsonMappingException.Reference> path, JsonNode found) {
        JsonSubTypes types = e.getBaseType().getRawClass().getAnnotation(JsonSubTypes.class);
        List<String> known = types == null
                ? List.of()
                : Arrays.stream(types.value()).map(JsonSubTypes.Type::name).toList();
        JsonNode type = found.path("type");
        return type.isMissingNode()
                ? "%s.type is missing; allowed is %s".formatted(text(path), joined(known))
                : "%s.type is %s; allowed is %s%s"
                        .formatted(
                                text(path),
                                Check.shortened(type.toString()),
                                joined(known),
                                SimilarNames.hint(type.asText(), known));
    }

    private static String wrongKind(
            List<JsonMappingException.Reference> path, JsonNode found, @Nullable Class<?> target) {
        String kind = found.isIntegralNumber() && (target == null || target == Integer.class || target == Long.class)
                ? "a whole number that is not so large"
                : kind(target);
        return "%s is %s; it must be %s".formatted(text(path), Check.shortened(found.toString()), kind);
    }

    private static @Nullable Class<?> boxed(@Nullable Class<?> type) {
        return type == null ? null : MethodType.methodType(type).wrap().returnType();
    }

    private static String kind(@Nullable Class<?> target) {
        if (target == null) {
            return "of another kind";
        } else if (target == Integer.class || target == Long.class) {
            return "a whole number";
        } else if (target == Double.class) {
            return "a number";
        } else if (target == Boolean.class) {
            return "true or false";
        } else if (target == String.class) {
            return "text, in quotes";
        } else if (Collection.class.isAssignableFrom(target)) {
            return "a list in brackets, [...]";
        } else if (target == NetworkSpec.class) {
            return "a network's name or {\"layers\": [...]}";
        } else if (target == DatasetSpec.class) {
            return "a dataset's name or {\"name\": ..., \"normalize\": ..., \"augment\": ...}";
        } else if (target == DeviceSpec.class) {
            return "a device's name, such as \"auto\"";
        } else if (target == Precision.class) {
            return "\"fp32\", \"tf32\" or \"bf16\"";
        } else if (target == Metric.class) {
            return "\"accuracy\", \"loss\" or \"macroF1\"";
        } else if (target == Sampler.class) {
            return "\"balanced\"";
        } else if (target == Colors.class) {
            return "\"rgb\" or \"grey\"";
        } else if (target == SplitSpec.class) {
            return "an object such as {\"validation\": 0.1, \"seed\": 0}";
        } else if (target == JobKind.class) {
            return "\"train\" or \"evaluate\"";
        } else if (target == CheckpointName.class) {
            return "text, in quotes: a job's id, or a job's id and a step or \"best\", such as \"tudui-1/7820\"";
        } else if (target == StopWhen.class) {
            return "an object such as {\"testAccuracyAtLeast\": 0.9}";
        } else if (target == LayerSpec.class) {
            return "an object with a type, such as {\"type\": \"relu\"}";
        } else if (target == OptimizerSpec.class) {
            return "an object with a type, such as {\"type\": \"sgd\", \"learningRate\": 0.01}";
        } else if (target == LossSpec.class) {
            return "an object with a type, such as {\"type\": \"crossEntropy\", \"labelSmoothing\": 0.1}";
        } else if (target == ScheduleSpec.class) {
            return "an object with a type, such as {\"type\": \"cosine\"}";
        } else if (target == ClipSpec.class) {
            return "an object such as {\"norm\": 1.0} or {\"value\": 0.5}";
        } else if (target == EmaSpec.class) {
            return "an object such as {\"decay\": 0.999}";
        } else if (target == AshaSpec.class) {
            return "an object such as {\"minEpochs\": 1, \"reductionFactor\": 4}";
        } else if (target == DatasetSpec.Normalize.class) {
            return "an object such as {\"mean\": [0.5], \"std\": [0.5]}, with one number a channel";
        } else if (target == AugmentSpec.class) {
            return "an object such as {\"randomCrop\": {\"padding\": 4}, \"horizontalFlip\": {\"p\": 0.5}, \"cutout\": {\"size\": 8}}";
        }
        return "an object in braces, {...}";
    }

    static JsonNode at(JsonNode json, List<JsonMappingException.Reference> path) {
        JsonNode node = json;
        for (JsonMappingException.Reference step : path) {
            node = step.getFieldName() == null ? node.path(step.getIndex()) : node.path(step.getFieldName());
        }
        return node instanceof MissingNode ? json : node;
    }

    /// A path in the form `network.layers[2].out`.
    static String text(List<JsonMappingException.Reference> path) {
        StringBuilder text = new StringBuilder();
        for (JsonMappingException.Reference step : path) {
            if (step.getFieldName() == null) {
                text.append('[').append(step.getIndex()).append(']');
            } else {
                text.append(text.isEmpty() ? "" : ".").append(Check.shortened(step.getFieldName()));
            }
        }
        return text.toString();
    }

    private static String joined(Collection<String> names) {
        return names.stream().sorted().collect(Collectors.joining(", "));
    }
}
