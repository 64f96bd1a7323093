package io.trainyard.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The schema versions of commands, numbered from [#FIRST]. Everything that a command could
/// not express before is an [Addition] here and raises the number. Nothing is removed or changes its meaning. So
/// the schema version of a command is that of its newest addition, and a reader that understands a schema version
/// understands all earlier ones.
///
/// @param additions to schema version [#FIRST], the oldest first
public record JobSchemaVersion(List<Addition> additions) {
    /// The schema version of commands without a number.
    public static final int FIRST = 1;

    /// Additions of release 0.2. All additions between two releases have the same number.
    private static final List<Addition> SINCE_0_2 = List.of(
            new Addition(2, "", null, "initFrom", ".*(/best|/.*\\.safetensors)"),
            new Addition(2, "", null, "except"),
            new Addition(2, "", null, "continueFrom"),
            new Addition(2, "dataset.split", null, "validation"),
            new Addition(2, "dataset", null, "standardizeTargets"),
            new Addition(2, "network", "concat", null),
            new Addition(2, "network", "gate", null),
            new Addition(2, "", null, "freeze"),
            new Addition(2, "", null, "freezeBatchNorm"),
            new Addition(2, "", null, "sampler"),
            new Addition(2, "", null, "metric"),
            new Addition(2, "optimizer", null, "groups"),
            new Addition(2, "", null, "network", "resnet18|resnet34|resnet50|mobilenet-v2"));

    /// The schema versions that this version understands. Additions of a future version are loaded as services, which
    /// only tests provide.
    public static final JobSchemaVersion OURS = new JobSchemaVersion(Stream.concat(
                    SINCE_0_2.stream(),
                    ServiceLoader.load(Later.class, Later.class.getClassLoader()).stream()
                            .flatMap(later -> later.get().additions().stream()))
            .toList());

    /// Additions of a future version.
    public interface Later {
        List<Addition> additions();
    }

    /// A field or type that commands may use from a schema version on.
    ///
    /// @param place path of the object with the addition, separated by dots; empty for the job itself
    /// @param type the `type` of an object there, or anywhere below it; null: the object at `place`, of any type
    /// @param field the new field; null: the type itself is new
    /// @param values a regular expression of the field's texts that are new; null: the field itself is new
    public record Addition(
            int since,
            String place,
            @Nullable String type,
            @Nullable String field,
            @Nullable String values) {
        /// A new field or type.
        public Addition(int since, String place, @Nullable String type, @Nullable String field) {
            this(since, place, type, field, null);
        }

        boolean isIn(JsonNode job) {
            return objects(job).anyMatch(this::isSaid);
        }

        private boolean isSaid(JsonNode object) {
            return field == null
                    || (object.hasNonNull(field)
                            && (values == null || object.get(field).asText().matches(values)));
        }

        private Stream<JsonNode> objects(JsonNode job) {
            JsonNode at = place.isEmpty() ? job : job.at("/" + place.replace('.', '/'));
            return type == null
                    ? Stream.of(at)
                    : below(at).filter(node -> type.equals(node.path("type").textValue()));
        }

        private static Stream<JsonNode> below(JsonNode node) {
            return Stream.concat(Stream.of(node), node.valueStream().flatMap(Addition::below));
        }

        /// Removes the field, so that readers use its default.
        void leaveOut(JsonNode job) {
            objects(job).forEach(node -> {
                if (field != null && node instanceof ObjectNode object) {
                    object.remove(field);
                }
            });
        }

        private String inWords() {
            String where = place.isEmpty() ? "" : " of " + place;
            return field == null
                    ? "the type \"%s\"%s".formatted(type, where)
                    : "the field \"%s\"%s".formatted(field, where);
        }
    }

    /// A job as JSON in the lowest schema version that expresses it.
    public record Written(ObjectNode json, int schemaVersion) {}

    public JobSchemaVersion {
        additions = List.copyOf(additions);
    }

    public int newest() {
        return additions.stream().mapToInt(Addition::since).max().orElse(FIRST);
    }

    /// The lowest schema version that includes all additions used by a job.
    int of(JsonNode job) {
        return additions.stream()
                .filter(addition -> addition.isIn(job))
                .mapToInt(Addition::since)
                .max()
                .orElse(FIRST);
    }

    /// @throws InvalidJobException if a job uses additions that the schema version does not include
    void requireWithin(int schemaVersion, JsonNode job) {
        Optional<Addition> beyond = additions.stream()
                .filter(addition -> addition.since() > schemaVersion && addition.isIn(job))
                .findFirst();
        if (beyond.isPresent()) {
            throw new InvalidJobException(
                    "%s is not known here; it is in commands since schema version %d, and this is %d"
                            .formatted(beyond.get().inWords(), beyond.get().since(), schemaVersion));
        }
    }

    /// Leaves out fields that lower schema versions do not know, if the job is the same without them. Older workers can
    /// then read a job that uses nothing new, from a newer client.
    Written write(JobSpec job, ObjectNode whole) {
        int needed = of(whole);
        for (int schemaVersion = FIRST; schemaVersion < needed; schemaVersion++) {
            int most = schemaVersion;
            ObjectNode less = whole.deepCopy();
            additions.stream().filter(addition -> addition.since() > most).forEach(addition -> addition.leaveOut(less));
            if (of(less) <= schemaVersion && JobJson.is(less, job)) {
                return new Written(less, schemaVersion);
            }
        }
        return new Written(whole, needed);
    }
}
