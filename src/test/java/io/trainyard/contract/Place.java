package io.trainyard.contract;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/// Where in a job an object stands.
///
/// @param around the job, with something else there
/// @param chosenType of the object, where it may be one of several
record Place(ObjectNode around, JsonPointer at, Optional<String> chosenType) {
    /// A job itself.
    static final Place WHOLE = new Place(JsonNodeFactory.instance.objectNode(), JsonPointer.empty(), Optional.empty());

    Place ofType(String type) {
        return new Place(around, at, Optional.of(type));
    }

    /// The job with this there.
    ObjectNode job(JsonNode value) {
        JsonNode there = value.deepCopy();
        if (there instanceof ObjectNode object && !object.has("type")) {
            chosenType.ifPresent(type -> object.put("type", type));
        }
        if (at.matches()) {
            return (ObjectNode) there;
        }
        ObjectNode job = around.deepCopy();
        switch (job.at(at.head())) {
            case ObjectNode object -> object.set(at.last().getMatchingProperty(), there);
            case ArrayNode list -> list.set(at.last().getMatchingIndex(), there);
            default -> throw new IllegalStateException("there is no " + at);
        }
        return job;
    }

    /// Within the object, which is so.
    Place within(ObjectNode object, String field) {
        return new Place(job(object), at.appendProperty(field), Optional.empty());
    }

    /// The first of a list that stands here.
    Place first() {
        return new Place(job(JsonNodeFactory.instance.arrayNode().addNull()), at.appendIndex(0), Optional.empty());
    }
}
