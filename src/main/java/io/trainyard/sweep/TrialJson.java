package io.trainyard.sweep;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/// The job of a sweep as JSON, with values in the place of some of its fields.
final class TrialJson {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final ObjectNode base;

    TrialJson(JobSpec sweep) {
        try {
            base = (ObjectNode) MAPPER.readTree(JobJson.write(sweep));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a job is always readable", e);
        }
        base.remove(List.of("sweep", "random"));
        base.put("group", sweep.id());
    }

    /// @param values by their paths: of an object that is given whole, and a field of it, the field comes second
    /// @throws InvalidJobException if a path leads into what has no fields
    ObjectNode with(Map<String, JsonNode> values) {
        ObjectNode job = base.deepCopy();
        values.entrySet().stream()
                .sorted(Comparator.comparingInt(value -> steps(value.getKey()).size()))
                .forEach(value -> put(job, value.getKey(), value.getValue()));
        return job;
    }

    private static List<String> steps(String path) {
        return List.of(path.split("\\."));
    }

    private static void put(ObjectNode job, String path, JsonNode value) {
        if (path.equals("devices")) {
            job.remove("device"); // a job has only one of them
        } else if (path.equals("device")) {
            job.remove("devices");
        }
        List<String> steps = steps(path);
        JsonNode at = job;
        for (int i = 0; i < steps.size() - 1; i++) {
            at = child(at, String.join(".", steps.subList(0, i + 1)), steps.get(i));
        }
        String last = steps.getLast();
        if (at instanceof ArrayNode list) {
            list.set(index(list, path, last), value);
        } else {
            ((ObjectNode) at).set(last, value);
        }
    }

    /// The child of a node at the next step of a path.
    private static JsonNode child(JsonNode at, String path, String step) {
        JsonNode child = at instanceof ArrayNode list ? list.get(index(list, path, step)) : at.get(step);
        if (at instanceof ObjectNode object && (child == null || child.isNull())) {
            return object.putObject(step);
        }
        if (child == null || !child.isContainerNode()) {
            throw new InvalidJobException("%s of the job is %s, which has no fields"
                    .formatted(path, child == null ? "missing" : shown(child)));
        }
        return child;
    }

    private static int index(ArrayNode list, String path, String step) {
        int index = step.matches("\\d{1,6}") ? Integer.parseInt(step) : -1;
        if (index < 0 || index >= list.size()) {
            throw new InvalidJobException("%s is not an index of a list of %d entries; allowed is 0 to %d"
                    .formatted(path, list.size(), list.size() - 1));
        }
        return index;
    }

    List<String> pathsTo(String name) {
        return base.properties().stream()
                .filter(field -> field.getValue().has(name))
                .map(field -> field.getKey() + "." + name)
                .toList();
    }

    boolean has(String name) {
        return base.has(name);
    }

    static String shown(JsonNode value) {
        String text = value.toString();
        return text.length() <= 40 ? text : text.substring(0, 37) + "...";
    }
}
