package io.trainyard.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What commands may say, by number. Whatever a command may say that it could not say before raises the number, and
/// is an [Addition] here; nothing is ever taken away, and nothing changes its meaning. So a command is as new as the
/// newest thing it says, and whoever understands a number understands all below it.
///
/// @param additions to contract [#FIRST], the oldest first
public record JobContract(List<Addition> additions) {
    /// That of commands that do not tell.
    public static final int FIRST = 1;

    /// What this version understands. Additions of a version to come are services, which tests alone have.
    public static final JobContract OURS =
            new JobContract(ServiceLoader.load(Later.class, Later.class.getClassLoader()).stream()
                    .flatMap(later -> later.get().additions().stream())
                    .toList());

    /// Additions that a version to come might make.
    public interface Later {
        List<Addition> additions();
    }

    /// Something that commands may say since a contract.
    ///
    /// @param place the object that may have it: names with dots between them; empty is the job itself
    /// @param type the `type` of an object there, or anywhere below it; null: that very object, whatever its type
    /// @param field what it may have; null: the type itself is new
    public record Addition(
            int since,
            String place,
            @Nullable String type,
            @Nullable String field) {
        boolean isIn(JsonNode job) {
            return objects(job).anyMatch(this::isSaid);
        }

        private boolean isSaid(JsonNode object) {
            return field == null || object.hasNonNull(field);
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

        /// Leaves it out; what it then means, the reader's defaults say.
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

    /// A job as a command says it: as that of the lowest contract in which it is the same job.
    public record Written(ObjectNode json, int contract) {}

    public JobContract {
        additions = List.copyOf(additions);
    }

    /// The number of all that it has.
    public int newest() {
        return additions.stream().mapToInt(Addition::since).max().orElse(FIRST);
    }

    /// The lowest contract that has all a job says.
    int of(JsonNode job) {
        return additions.stream()
                .filter(addition -> addition.isIn(job))
                .mapToInt(Addition::since)
                .max()
                .orElse(FIRST);
    }

    /// @throws InvalidJobException if a job says what a contract has not
    void requireWithin(int contract, JsonNode job) {
        Optional<Addition> beyond = additions.stream()
                .filter(addition -> addition.since() > contract && addition.isIn(job))
                .findFirst();
        if (beyond.isPresent()) {
            throw new InvalidJobException("%s is not known here; it is in commands since contract %d, and this is %d"
                    .formatted(beyond.get().inWords(), beyond.get().since(), contract));
        }
    }

    /// Without what a lower contract has not, as far as leaving it out means the same: so whoever has fallen behind
    /// can read a job that uses nothing new, whoever wrote it.
    Written write(JobSpec job, ObjectNode whole) {
        int needed = of(whole);
        for (int contract = FIRST; contract < needed; contract++) {
            int most = contract;
            ObjectNode less = whole.deepCopy();
            additions.stream().filter(addition -> addition.since() > most).forEach(addition -> addition.leaveOut(less));
            if (of(less) <= contract && JobJson.is(less, job)) {
                return new Written(less, contract);
            }
        }
        return new Written(whole, needed);
    }
}
