package io.trainyard.spec;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.spec.JobJsonError.Mistake;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Collects all mistakes of a job, not only the first. Each mistake is reported and corrected in a copy, by a
/// guess at the intended value, and the copy is read again.
final class JobMistakes {
    /// After this number a message only says that there are more mistakes.
    static final int MAX_SENTENCES = 8;

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /// Replacements in the copy for required fields that are missing or wrong. Other wrong fields are removed.
    private static final Map<String, JsonNode> STAND_INS = Map.of(
            "id", JSON.textNode("unnamed-job"),
            "network", JSON.textNode("lenet"),
            "dataset", JSON.textNode("mnist"),
            "epochs", JSON.numberNode(1),
            "initFrom", JSON.textNode("checkpoint"),
            "sweep", JSON.objectNode().set("seed", JSON.arrayNode().add(0)));

    private final ObjectNode copy;
    private final List<String> sentences = new ArrayList<>();
    private final Set<String> wrong = new HashSet<>();

    private JobMistakes(ObjectNode copy) {
        this.copy = copy;
    }

    /// @param first the exception of reading `job`
    static InvalidJobException of(Exception first, ObjectNode job) {
        JobMistakes mistakes = new JobMistakes(job.deepCopy());
        Optional<Exception> next = Optional.of(first);
        while (next.isPresent() && mistakes.add(next.get())) {
            next = JobJson.whyUnreadable(mistakes.copy);
        }
        return new InvalidJobException(String.join("; and ", mistakes.sentences), first);
    }

    /// @return whether the mistake was corrected, so reading can continue
    private boolean add(Exception e) {
        Mistake mistake = JobJsonError.explain(e, copy);
        if (sentences.size() == MAX_SENTENCES) {
            sentences.add("there are more mistakes");
            return false;
        }
        return switch (mistake) {
            case Mistake.UnknownField unknown -> {
                sentences.add(unknown.sentence());
                yield rename(unknown);
            }
            case Mistake.WrongValue value -> {
                List<JsonMappingException.Reference> place = place(value);
                if (!wrong.add(JobJsonError.text(place))) {
                    yield false; // caused by a mistake already reported at this place
                }
                sentences.add(value.sentence());
                yield replace(place);
            }
        };
    }

    private boolean rename(Mistake.UnknownField unknown) {
        if (!(JobJsonError.at(copy, unknown.parent()) instanceof ObjectNode parent)) {
            return false;
        }
        JsonNode value = parent.remove(unknown.name());
        unknown.meant().filter(meant -> !parent.has(meant)).ifPresent(meant -> parent.set(meant, value));
        return value != null;
    }

    /// The part that is replaced as a whole: a layer, or a field of the job. Every message about one of these
    /// begins with its name.
    private static List<JsonMappingException.Reference> place(Mistake.WrongValue value) {
        List<JsonMappingException.Reference> path = value.path();
        if (path.isEmpty()) {
            return List.of(new JsonMappingException.Reference(
                    JobSpec.class, value.sentence().split("\\W", 2)[0]));
        }
        for (int i = path.size(); i > 1 && path.getFirst().getFieldName().equals("network"); i--) {
            if (path.get(i - 1).getFieldName() == null) {
                return path.subList(0, i);
            }
        }
        return path.subList(0, 1);
    }

    private boolean replace(List<JsonMappingException.Reference> place) {
        if (JobJsonError.at(copy, place.subList(0, place.size() - 1)) instanceof ArrayNode layers) {
            layers.set(place.getLast().getIndex(), JSON.objectNode().put("type", "relu"));
            return true;
        }
        String field = place.getFirst().getFieldName();
        if (field.equals("kind")) {
            return false; // the required fields of such a job are unknown
        }
        JsonNode before = copy.remove(field);
        JsonNode standIn = STAND_INS.get(field);
        if (standIn != null && JobJson.kind(copy).has(field)) {
            copy.set(field, standIn);
            return true;
        }
        return before != null;
    }
}
