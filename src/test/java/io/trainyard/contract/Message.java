package io.trainyard.contract;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.event.TrainingEvent;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.RecordKey;
import io.trainyard.topics.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// One kind of record.
///
/// @param name as files are called that are about it: `job-started`
/// @param type its `ce_type`
/// @param key what its key is, in words
/// @param headers the name of their schema
record Message(String name, String type, List<Topic> topics, String key, ObjectNode body, String headers) {
    private static final String DRAFT = "https://json-schema.org/draft/2020-12/schema";
    private static final String JOB = "the job's id";

    private static final List<Message> ALL = made();

    /// Of a type that has one kind of record.
    private Message(String type, List<Topic> topics, String key, ObjectNode body, String headers) {
        this(name(type), type, topics, key, body, headers);
    }

    private static String name(String type) {
        return type.replaceFirst("^io\\.trainyard\\.", "")
                .replaceFirst("\\.v1$", "")
                .replace('.', '-');
    }

    static List<Message> all() {
        return ALL;
    }

    private static List<Message> made() {
        List<Message> all = new ArrayList<>();
        all.add(new Message(CloudEvents.COMMAND, Topic.COMMANDS, JOB, command(), "command-headers"));
        for (Class<?> event : TrainingEvent.class.getPermittedSubclasses()) {
            all.add(event(event));
        }
        all.add(new Message(CloudEvents.CONTROL, List.of(Topic.CONTROL), JOB, RecordSchema.control(), "headers"));
        all.add(new Message(CloudEvents.CUSTODY, List.of(Topic.CUSTODY), JOB, RecordSchema.custody(), "headers"));
        all.add(new Message(
                "job-waiting",
                CloudEvents.COMMAND,
                List.of(Topic.CUSTODY),
                "`<job>/<topic>-<partition>@<offset>`, where the command was",
                waiting(),
                "waiting-headers"));
        all.add(new Message(
                CloudEvents.WORKER_STATUS,
                List.of(Topic.WORKERS),
                "the worker's id",
                RecordSchema.status(),
                "headers"));
        all.add(new Message(
                CloudEvents.DEAD_COMMAND,
                List.of(Topic.DEAD_LETTER),
                "the command's, at most its first 1024 bytes",
                deadLetter(),
                "dead-letter-headers"));
        return List.copyOf(all);
    }

    private static Message event(Class<?> type) {
        TrainingEvent sample = Samples.event(type);
        Topic topic = Topic.of(sample);
        boolean kept = Topic.EVENTS.contains(topic) && RecordKey.of(sample).contains("/");
        return new Message(
                CloudEvents.type(sample),
                List.of(topic),
                kept ? "`<job>/<attempt>/<type>`" : JOB,
                RecordSchema.event(type),
                "headers");
    }

    /// A job with an id.
    private static ObjectNode command() {
        ObjectNode schema = JobSchema.reference("job");
        schema.withObject("/properties/id").put("type", "string");
        schema.putArray("required").add("id");
        ObjectNode definitions = JobSchema.definitions();
        ArrayNode needed = (ArrayNode) definitions.at("/job/required");
        needed.removeIf(field -> field.asText().equals("id")); // of a job in a file
        schema.set("$defs", definitions);
        return schema;
    }

    private static ObjectNode waiting() {
        ObjectNode schema = JobSchema.type("object")
                .put(
                        "description",
                        "A command that waits for a worker of a newer version, byte for byte: what is in it besides its id the worker that set it aside does not understand.");
        schema.withObject("/properties/id").put("type", "string");
        schema.putArray("required").add("id");
        return schema;
    }

    private static ObjectNode deadLetter() {
        return JsonNodeFactory.instance
                .objectNode()
                .put(
                        "description",
                        "A command that nobody will run, byte for byte, or its first 64 KiB: anything, which need not be JSON.");
    }

    /// Schemas by the names of their files.
    static Map<String, ObjectNode> schemas() {
        Map<String, ObjectNode> schemas = new TreeMap<>();
        all().forEach(message -> schemas.put(message.name(), titled(message.type(), message.body())));
        schemas.put("headers", titled("Headers", HeaderSchemas.common()));
        schemas.put("command-headers", titled("Headers of a command", HeaderSchemas.command()));
        schemas.put("waiting-headers", titled("Headers of a command that waits", HeaderSchemas.waiting()));
        schemas.put("dead-letter-headers", titled("Headers of a dead letter", HeaderSchemas.deadLetter()));
        schemas.put("job-file", titled("A file of jobs", jobFile()));
        return schemas;
    }

    /// What `submit` and `train` read: a job, whose id may be left out, or a list of jobs.
    private static ObjectNode jobFile() {
        ObjectNode job = JsonNodeFactory.instance.objectNode().put("$ref", "job-requested.json#/$defs/job");
        ObjectNode list = JobSchema.type("array");
        list.set("items", job);
        return JobSchema.anyOf(job, list);
    }

    private static ObjectNode titled(String title, ObjectNode schema) {
        ObjectNode titled = JsonNodeFactory.instance.objectNode();
        titled.put("$schema", DRAFT).put("title", title);
        return titled.setAll(schema);
    }

    static Stream<Message> of(Topic topic) {
        return all().stream().filter(message -> message.topics().contains(topic));
    }
}
