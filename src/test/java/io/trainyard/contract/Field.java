package io.trainyard.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.spec.JobForms;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A field of an object of a job, about which jobs that have the object ask the reader.
///
/// @param of the object's type
/// @param object where the object is
/// @param inList whether what is asked about is the one entry of a list in the field
record Field(Class<?> of, String name, Place object, boolean inList) {
    private static final JsonMapper MAPPER = new JsonMapper();

    /// Left out these are as another field is.
    private static final Set<String> AS_ANOTHER = Set.of("MaxPool2d.stride", "AvgPool2d.stride");

    Field(Class<?> of, String name, Place object) {
        this(of, name, object, false);
    }

    Field listed() {
        return new Field(of, name, object, true);
    }

    /// As `Conv2d.groups`.
    String path() {
        return of.getSimpleName() + "." + name;
    }

    boolean takes(long value) {
        return takes(JsonNodeFactory.instance.numberNode(value));
    }

    boolean takes(double value) {
        return takes(JsonNodeFactory.instance.numberNode(value));
    }

    boolean takes(JsonNode value) {
        return JobForms.isRead(object.job(with(value)));
    }

    private ObjectNode with(JsonNode value) {
        ObjectNode sample = samples(field -> field.has(name)).getFirst();
        JobSamples.set(
                sample, path(), inList ? JsonNodeFactory.instance.arrayNode().add(value) : value);
        return sample;
    }

    /// Those that are so; all, if none is.
    private List<ObjectNode> samples(Predicate<ObjectNode> so) {
        List<ObjectNode> all = JobSamples.of(of);
        List<ObjectNode> some = all.stream().filter(so).toList();
        return some.isEmpty() ? all : some;
    }

    private List<ObjectNode> without() {
        return JobSamples.of(of).stream()
                .map(sample -> sample.<ObjectNode>without(name))
                .filter(sample -> JobForms.isRead(object.job(sample)))
                .toList();
    }

    boolean isRequired() {
        return without().isEmpty();
    }

    /// What leaving it out stands for; null where it stands for nothing.
    @Nullable
    JsonNode defaultValue() {
        if (without().isEmpty() || AS_ANOTHER.contains(path())) {
            return null;
        }
        try {
            String written = JobJson.write(JobJson.read(object.job(without().getFirst())));
            JsonNode value = MAPPER.readTree(written).at(object.at().appendProperty(name));
            return value.isValueNode() && !value.isNull() && !value.isMissingNode() || value.isObject() ? value : null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Where its own value stands.
    Place place() {
        Place field = object.within(samples(sample -> sample.has(name)).getFirst(), name);
        return inList ? field.first() : field;
    }

    IllegalStateException isUnknown() {
        return new IllegalStateException(
                "no job with the field %s is read: give its type a sample in JobSamples".formatted(path()));
    }
}
