package io.trainyard.topics;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/// The optional headers of a command; all are text. Workers add them when they publish the command again.
/// Clients may set the first one.
public final class CommandHeaders {
    /// The [schemaVersion][io.trainyard.spec.JobSchemaVersion] for which the command was written. If it is newer than a
    /// worker supports, the worker defers a command with unknown fields. Without this header, unknown fields
    /// are errors.
    public static final String SCHEMA_VERSION = "trainyard-schema-version";

    /// The requested attempt; the first if the header is missing.
    public static final String ATTEMPT = "trainyard-attempt";

    /// The identity of the store with the job's chain and checkpoints.
    public static final String STORE = "trainyard-store";

    /// The workers that could not run the job, with reasons: a JSON list of objects with `worker` and `reason`.
    public static final String REFUSALS = "trainyard-refusals";

    /// The maximum size in bytes of each of these headers and of `traceparent`. Longer headers are ignored.
    public static final int MAX_BYTES = 16 << 10;

    private CommandHeaders() {}

    public static void addSchemaVersion(Headers headers, int schemaVersion) {
        add(headers, SCHEMA_VERSION, Integer.toString(schemaVersion));
    }

    public static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /// @return null if the header is missing or has no value
    public static @Nullable String text(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null || header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }
}
