package io.trainyard.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.topics.KafkaRole;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/// The AsyncAPI document, written from what the program knows of its topics: one channel each, a message for each kind
/// of
/// record, and what a worker does with them.
final class AsyncApi {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final String BINDINGS = "0.5.0";

    private static final String TOLD = """
            A training command is a record; workers claim commands, and tell of every step, test and checkpoint.
            The operations are a worker's: whoever publishes commands and reads events does what answers them.
            Schemas of bodies and headers are in the folder `schemas`, one for each kind of record; docs/topics.md
            says what stands behind them: order, keys, what is told twice.""".replace("\n", " ");

    private static final String FIRST_LINE = "# Written from the code: see README.md of this folder.\n";

    private AsyncApi() {}

    static String yaml() {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setWidth(110);
        options.setSplitLines(true);
        return FIRST_LINE + new Yaml(options).dump(MAPPER.convertValue(document(), Map.class));
    }

    static ObjectNode document() {
        ObjectNode document = MAPPER.createObjectNode().put("asyncapi", "3.0.0");
        document.putObject("info")
                .put("title", "Trainyard")
                .put("version", version())
                .put("description", TOLD);
        document.put("defaultContentType", "application/json");
        document.withObject("/servers/kafka")
                .put("host", "localhost:9092")
                .put("protocol", "kafka")
                .put("description", "`./trainyard broker`, or any Kafka 4.2 or newer.");
        for (Topic topic : Topic.values()) {
            document.withObject("/channels").set(channel(topic), channel(document, topic));
        }
        ObjectNode messages = document.withObject("/components/messages");
        Message.all().forEach(message -> messages.set(message.name(), message(message)));
        return document;
    }

    /// As the build calls this version.
    static String version() {
        try {
            Matcher version =
                    Pattern.compile("<version>([^<]+)</version>").matcher(Files.readString(Path.of("pom.xml")));
            if (!version.find()) {
                throw new IllegalStateException("pom.xml has no version");
            }
            return version.group(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String channel(Topic topic) {
        return topic.name("").replace('.', '-');
    }

    private static ObjectNode channel(ObjectNode document, Topic topic) {
        ObjectNode channel = MAPPER.createObjectNode().put("address", "{prefix}" + topic.name(""));
        channel.withObject("/parameters/prefix")
                .put("default", Topic.DEFAULT_PREFIX)
                .put("description", "What the names of a fleet's topics begin with: TRAINYARD_TOPICS_PREFIX.");
        ObjectNode operations = document.withObject("/operations");
        ObjectNode messages = channel.putObject("messages");
        Message.of(topic)
                .forEach(message -> messages.set(message.name(), reference("#/components/messages/" + message.name())));
        ObjectNode kafka = channel.withObject("/bindings/kafka").put("topic", topic.name(Topic.DEFAULT_PREFIX));
        TopicSettings.partitions(topic).ifPresent(partitions -> kafka.put("partitions", partitions));
        ObjectNode settings = kafka.putObject("topicConfiguration");
        TopicSettings.of(topic).forEach((name, value) -> {
            switch (name) {
                case "cleanup.policy" -> settings.putArray(name).add(value);
                case "min.cleanable.dirty.ratio" -> settings.put(name, Double.parseDouble(value));
                case "message.timestamp.type" -> settings.put(name, value);
                default -> settings.put(name, Long.parseLong(value));
            }
        });
        kafka.put("bindingVersion", BINDINGS);
        operation(operations, topic, AclOperation.READ, "receive");
        operation(operations, topic, AclOperation.WRITE, "send");
        return channel;
    }

    /// What a worker does, if it may.
    private static void operation(ObjectNode operations, Topic topic, AclOperation allowed, String action) {
        boolean does = KafkaRole.WORKER.grants().stream()
                .filter(grant -> grant.type() == ResourceType.TOPIC && grant.operation() == allowed)
                .anyMatch(grant -> grant.pattern() == PatternType.LITERAL
                        ? grant.name().equals(topic.name(""))
                        : topic.name("").startsWith(grant.name()));
        if (does) {
            ObjectNode operation =
                    operations.putObject(action + "-" + channel(topic)).put("action", action);
            operation.set("channel", reference("#/channels/" + channel(topic)));
            ArrayNode messages = operation.putArray("messages");
            Message.of(topic)
                    .forEach(message -> messages.add(
                            reference("#/channels/%s/messages/%s".formatted(channel(topic), message.name()))));
        }
    }

    private static ObjectNode message(Message message) {
        ObjectNode told = MAPPER.createObjectNode();
        told.put("name", message.type()).put("title", message.name());
        String summary = message.body()
                .at("/description")
                .asText(message.body().at("/$defs/job/description").asText());
        told.put("summary", summary);
        boolean anything = message.headers().equals("dead-letter-headers");
        told.put("contentType", anything ? "application/octet-stream" : "application/json");
        told.set("headers", schema(headers(message)));
        told.set("payload", schema(reference("./schemas/%s.json".formatted(message.name()))));
        told.withObject("/bindings/kafka/key").put("type", "string").put("description", "Key: " + message.key() + ".");
        told.withObject("/bindings/kafka").put("bindingVersion", BINDINGS);
        Map<String, JsonNode> samples = Samples.all();
        ObjectNode example = told.putArray("examples").addObject();
        if (anything) {
            example.set("headers", samples.get(message.headers()));
            example.put("payload", String.valueOf(samples.get(message.name())));
        } else {
            example.set("payload", samples.get(message.name()));
        }
        return told;
    }

    private static ObjectNode headers(Message message) {
        ObjectNode headers = MAPPER.createObjectNode();
        headers.putArray("allOf").add(reference("./schemas/%s.json".formatted(message.headers())));
        headers.withObject("/properties/ce_type").put("const", message.type());
        return headers;
    }

    private static ObjectNode schema(ObjectNode schema) {
        ObjectNode multiFormat = MAPPER.createObjectNode();
        multiFormat.put("schemaFormat", "application/schema+json;version=draft-2020-12");
        multiFormat.set("schema", schema);
        return multiFormat;
    }

    private static ObjectNode reference(String to) {
        return MAPPER.createObjectNode().put("$ref", to);
    }
}
