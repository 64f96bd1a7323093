package io.trainyard.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.Page;
import io.trainyard.custody.Custody;
import io.trainyard.custody.CustodyJson;
import io.trainyard.custody.Request;
import io.trainyard.custody.Request.Refusal;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Priority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// One example of each kind of record and of its headers. Those that `docs/topics.md` shows are the page's.
final class Samples {
    private static final Page PAGE = Page.read("docs/topics.md");
    private static final JsonMapper MAPPER = new JsonMapper();

    private Samples() {}

    /// By the names of their schemas.
    static Map<String, JsonNode> all() {
        Map<String, JsonNode> all = new TreeMap<>();
        all.put("job-requested", shown("## Commands"));
        for (Class<?> event : TrainingEvent.class.getPermittedSubclasses()) {
            all.put(
                    CloudEvents.type(event(event)).replaceFirst("io\\.trainyard\\.job\\.(.*)\\.v1", "job-$1"),
                    shown(title(event)));
        }
        all.put("job-control", shown("## Control"));
        all.put("worker-status", shown("## Workers"));
        all.put("job-custody", custody());
        all.put(
                "job-rejected",
                json("{\"id\": \"signs-1\", \"network\": \"signs\", \"dataset\": \"shapes64\", \"epoch\": 10}"));
        all.put(
                "job-waiting",
                json(
                        "{\"id\": \"signs-1\", \"network\": \"signs\", \"dataset\": \"shapes64\", \"curriculum\": \"short\"}"));
        all.put("headers", headers("io.trainyard.job.started.v1", "/workers/w1"));
        all.put("command-headers", commandHeaders());
        all.put("waiting-headers", waitingHeaders());
        all.put("dead-letter-headers", deadLetterHeaders());
        return all;
    }

    /// The page's example of a type of events.
    static TrainingEvent event(Class<?> type) {
        try {
            return EventJson.readEvent(MAPPER.writeValueAsBytes(shown(title(type))))
                    .event();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String title(Class<?> event) {
        return "### `%s`".formatted(RecordSchema.word(event));
    }

    private static JsonNode shown(String title) {
        return json(PAGE.section(title).code("json").getFirst());
    }

    private static JsonNode custody() {
        List<Refusal> refusals = List.of(new Refusal("w2", "the data set shapes64 is not here"));
        String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        Request request = new Request(
                JobJson.read(shown("## Commands")),
                1,
                Priority.NORMAL,
                refusals,
                "0b7f3a52-6f0c-4a39-9b6e-6d3a6fbe8a51",
                trace,
                1);
        try {
            return MAPPER.readTree(CustodyJson.write(Custody.held(request, "w1")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectNode headers(String type, String source) {
        return MAPPER.createObjectNode()
                .put("ce_specversion", "1.0")
                .put("ce_id", "6f1c2e80-7d0b-4c38-9d0e-0d8f6b3e3a11")
                .put("ce_type", type)
                .put("ce_source", source)
                .put("ce_time", "2026-11-22T03:04:05.678Z")
                .put("content-type", "application/json");
    }

    private static ObjectNode commandHeaders() {
        return headers(CloudEvents.COMMAND, CloudEvents.CLI)
                .put(CloudEvents.TRACE_PARENT, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .put(CommandHeaders.CONTRACT, "1")
                .put(CommandHeaders.ATTEMPT, "2")
                .put(CommandHeaders.STORE, "0b7f3a52-6f0c-4a39-9b6e-6d3a6fbe8a51")
                .put(CommandHeaders.REFUSALS, "[{\"worker\":\"w2\",\"reason\":\"the data set shapes64 is not here\"}]");
    }

    private static ObjectNode waitingHeaders() {
        ObjectNode headers = headers(CloudEvents.COMMAND, CloudEvents.CLI).put(CommandHeaders.CONTRACT, "9");
        refusal(headers, "curriculum is not known; leave it out").put("source-key", "signs-1");
        return headers;
    }

    private static ObjectNode deadLetterHeaders() {
        ObjectNode headers =
                headers(CloudEvents.DEAD_COMMAND, "/workers/w1").put("content-type", "application/octet-stream");
        return refusal(headers, "epochs is missing; give it a value");
    }

    private static ObjectNode refusal(ObjectNode headers, String reason) {
        return headers.put(DeadLetter.REASON, reason)
                .put(DeadLetter.SOURCE_TOPIC, "trainyard.commands.normal")
                .put(DeadLetter.SOURCE_PARTITION, "0")
                .put(DeadLetter.SOURCE_OFFSET, "7")
                .put(DeadLetter.WORKER, "w1");
    }

    private static JsonNode json(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }
}
