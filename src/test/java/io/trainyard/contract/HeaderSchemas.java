package io.trainyard.contract;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Forwarded;

/// JSON Schemas of records' headers, as an object of texts.
final class HeaderSchemas {
    private HeaderSchemas() {}

    /// Those of every record that the program writes.
    static ObjectNode common() {
        ObjectNode headers = headers("The headers of CloudEvents in binary mode, all text.");
        cloudEvents(headers);
        headers.putArray("required")
                .add("ce_specversion")
                .add("ce_id")
                .add("ce_type")
                .add("ce_source")
                .add("ce_time")
                .add("content-type");
        return headers;
    }

    /// None is needed.
    static ObjectNode command() {
        ObjectNode headers = headers(
                "Welcome, and not needed; workers add the last ones to commands that they publish anew. Of one that is longer than %d bytes nothing is read."
                        .formatted(CommandHeaders.MAX_BYTES));
        cloudEvents(headers);
        text(headers, Forwarded.FROM, "The full name of the topic it was on.");
        text(headers, Forwarded.BY, "The id of the worker that passed it on.");
        text(
                        headers,
                        CommandHeaders.CONTRACT,
                        "The contract that the command was written for: what a worker does not know in one that is newer than what it understands waits for newer workers; without it, that is a mistake.")
                .put("pattern", "^[1-9][0-9]{0,4}$");
        text(headers, CommandHeaders.ATTEMPT, "The attempt that is asked for; without it, the first.")
                .put("pattern", "^[0-9]{1,10}$");
        text(headers, CommandHeaders.STORE, "The identity of the store that the job is in.");
        text(
                        headers,
                        CommandHeaders.REFUSALS,
                        "Which workers could not run the job, and why: a JSON list of objects with `worker` and `reason`.")
                .put("contentMediaType", "application/json");
        return headers;
    }

    static ObjectNode deadLetter() {
        ObjectNode headers = common();
        headers.put("description", "Those of every record, and what became of the command.");
        refusal(headers, "The id of the worker that refused it.");
        text(
                        headers,
                        DeadLetter.TRUNCATED_FROM_BYTES,
                        "The command's size; only where the body is no more than its first %d bytes."
                                .formatted(DeadLetter.MAX_BODY_BYTES))
                .put("pattern", "^[0-9]+$");
        return headers;
    }

    /// The command's own, and why it waits.
    static ObjectNode waiting() {
        ObjectNode headers = command();
        headers.put("description", "The command's own, where it was, and why it waits.");
        headers.putArray("required").add(CommandHeaders.CONTRACT);
        refusal(headers, "The id of the worker that could not read it.");
        text(headers, "source-key", "The command's own key; missing where it has none.");
        text(
                headers,
                "trainyard-parked",
                "The project whose turn it waits for; missing where it waits for a newer worker.");
        return headers;
    }

    private static void refusal(ObjectNode headers, String worker) {
        text(headers, DeadLetter.REASON, "A sentence for whoever wrote the command.")
                .put("minLength", 1);
        text(headers, DeadLetter.SOURCE_TOPIC, "Where the command was: the topic's full name.");
        text(headers, DeadLetter.SOURCE_PARTITION, "The partition.").put("pattern", "^[0-9]+$");
        text(headers, DeadLetter.SOURCE_OFFSET, "The offset.").put("pattern", "^[0-9]+$");
        text(headers, DeadLetter.WORKER, worker);
        headers.withArray("required")
                .add(DeadLetter.REASON)
                .add(DeadLetter.SOURCE_TOPIC)
                .add(DeadLetter.SOURCE_PARTITION)
                .add(DeadLetter.SOURCE_OFFSET)
                .add(DeadLetter.WORKER);
    }

    private static ObjectNode headers(String told) {
        return JsonNodeFactory.instance.objectNode().put("description", told).put("type", "object");
    }

    private static void cloudEvents(ObjectNode headers) {
        text(headers, "ce_specversion", "Of CloudEvents.").put("const", "1.0");
        text(headers, "ce_id", "A UUID, another for each record.").put("minLength", 1);
        text(headers, "ce_type", "What the record is, with its version.");
        text(headers, "ce_source", "Who speaks: `/workers/<id>`, `/cli` or `/dashboard`.")
                .put("format", "uri-reference");
        text(headers, "ce_time", "When it happened.").put("format", "date-time");
        text(headers, "content-type", "Of the body.");
        text(headers, CloudEvents.TRACE_PARENT, "The command's, where it has one, as W3C's Trace Context has it.");
    }

    private static ObjectNode text(ObjectNode headers, String name, String told) {
        return headers.withObject("/properties")
                .putObject(name)
                .put("description", told)
                .put("type", "string");
    }
}
