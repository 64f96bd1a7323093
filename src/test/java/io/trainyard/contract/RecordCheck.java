package io.trainyard.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/// Checks records against the contract: body, headers and topic.
public final class RecordCheck {
    private static final JsonMapper MAPPER = new JsonMapper();

    private final Schemas schemas = Schemas.in(Schemas.PRESENT);

    /// The allowed values of `ce_type`.
    public static Set<String> types() {
        return Message.all().stream().map(Message::type).collect(Collectors.toSet());
    }

    public static String type(ConsumerRecord<byte[], byte[]> record) {
        Header type = record.headers().lastHeader("ce_type");
        return type == null ? "none" : new String(type.value(), StandardCharsets.UTF_8);
    }

    /// Violations of a record; empty if there are none. Invalid commands are not checked.
    public List<String> mistakes(Topic topic, ConsumerRecord<byte[], byte[]> record) throws IOException {
        Message message = Message.of(topic)
                .filter(known -> known.type().equals(type(record)))
                .findFirst()
                .orElse(null);
        if (message == null) {
            return List.of("%s is no type of %s".formatted(type(record), topic));
        }
        List<String> mistakes = new ArrayList<>(
                schemas.mistakes(message.headers(), headers(record).toString()));
        mistakes.addAll(schemas.mistakes(message.name(), body(message, record)));
        JsonNode schema = schemas.read(message.name());
        if (schema.has("properties") && !schema.has("$ref")) {
            mistakes.addAll(unnamed(schema, MAPPER.readTree(record.value())));
        }
        JsonNode job = message.name().equals("job-started")
                ? MAPPER.readTree(record.value()).path("spec")
                : MAPPER.missingNode();
        if (!job.isMissingNode()) {
            mistakes.addAll(schemas.mistakes("job-requested", job.toString()));
        }
        return mistakes;
    }

    /// Fields that a schema permits but does not define: from a later version, or forgotten.
    private static List<String> unnamed(JsonNode schema, JsonNode json) {
        List<String> unnamed = new ArrayList<>();
        for (var field : json.properties()) {
            JsonNode named = schema.path("properties").path(field.getKey());
            boolean isJob = named.path("required").size() == 1; // has more fields than its schema defines
            if (named.isMissingNode()) {
                unnamed.add("the field %s is in no schema".formatted(field.getKey()));
            } else if (!isJob) {
                unnamed.addAll(unnamed(named, field.getValue()));
            }
        }
        return unnamed;
    }

    /// A dead letter's body may be no JSON; it is treated as text.
    private static String body(Message message, ConsumerRecord<byte[], byte[]> record) {
        String body = new String(record.value(), StandardCharsets.UTF_8);
        return message.type().equals(CloudEvents.DEAD_COMMAND)
                ? MAPPER.getNodeFactory().textNode(body).toString()
                : body;
    }

    private static ObjectNode headers(ConsumerRecord<byte[], byte[]> record) {
        ObjectNode headers = MAPPER.createObjectNode();
        record.headers()
                .forEach(header -> headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
        return headers;
    }
}
