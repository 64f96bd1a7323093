package io.trainyard.contract;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.spec.JobForms;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Optional;

/// What fields of a job may be only together, as far as JSON Schema can say it; `job-rules.json` has most of it, by the
/// names of definitions. That no valid job is refused by them, and which they refuse, tests ask.
final class JobRules {
    private static final ObjectNode RULES = read();

    private JobRules() {}

    /// What a definition must hold besides.
    static Optional<ArrayNode> of(String definition) {
        Optional<ArrayNode> rules =
                Optional.ofNullable((ArrayNode) RULES.get(definition)).map(ArrayNode::deepCopy);
        if (definition.equals("job")) {
            rules.orElseThrow().add(evaluation());
        }
        return rules;
    }

    /// A job that evaluates has a checkpoint, and nothing that says how to train; any other has epochs.
    private static ObjectNode evaluation() {
        ObjectNode rule = JsonNodeFactory.instance.objectNode();
        rule.put(
                "description",
                "A job that evaluates names a checkpoint, and says nothing of training; others have epochs.");
        rule.putObject("if").putArray("required").add("kind");
        rule.withObject("/if/properties/kind").put("const", "evaluate");
        rule.putObject("then").putArray("required").add("initFrom");
        rule.withObject("/then/properties/initFrom").put("type", "string");
        JobForms.trainingFields()
                .forEach(field -> rule.withObject("/then/properties/" + field).put("type", "null"));
        rule.putObject("else").putArray("required").add("epochs");
        rule.withObject("/else/properties/epochs").put("type", "integer");
        return rule;
    }

    private static ObjectNode read() {
        String file = "job-rules.json";
        try (InputStream in = Objects.requireNonNull(JobRules.class.getResourceAsStream(file), file)) {
            return (ObjectNode) new JsonMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
