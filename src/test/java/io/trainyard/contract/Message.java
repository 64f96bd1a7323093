package io.trainyard.contract;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.metrics.YamlFiles;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A kind of record on a topic, as `docs/schemaVersion/asyncapi.yaml` defines it.
///
/// @param name the name of its files: `job-started`
/// @param type its `ce_type`
/// @param headers the name of the headers' schema
record Message(String name, String type, Topic topic, String headers) {
    static final Path FOLDER = Path.of("docs/contract");

    static final JsonNode DOCUMENT = read();

    private static final List<Message> ALL = made();

    private static JsonNode read() {
        try {
            return YamlFiles.read(FOLDER.resolve("asyncapi.yaml"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The document's name for a topic.
    static String channel(Topic topic) {
        return topic.name("").replace('.', '-');
    }

    static List<Message> all() {
        return ALL;
    }

    private static List<Message> made() {
        List<Message> all = new ArrayList<>();
        for (Topic topic : Topic.values()) {
            DOCUMENT.at("/channels/%s/messages".formatted(channel(topic)))
                    .fieldNames()
                    .forEachRemaining(name -> all.add(of(name, topic)));
        }
        return List.copyOf(all);
    }

    private static Message of(String name, Topic topic) {
        JsonNode message = DOCUMENT.at("/components/messages").path(name);
        String headers =
                message.at("/headers/schema/allOf/0/$ref").asText().replaceFirst("^\\./schemas/(.*)\\.json$", "$1");
        return new Message(name, message.path("name").asText(), topic, headers);
    }

    static Stream<Message> of(Topic topic) {
        return all().stream().filter(message -> message.topic() == topic);
    }
}
