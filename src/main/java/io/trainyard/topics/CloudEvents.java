package io.trainyard.topics;

import io.trainyard.event.TrainingEvent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/// The headers of a record, in the CloudEvents binary mode for Kafka.
public final class CloudEvents {
    public static final String COMMAND = "io.trainyard.job.requested.v1";
    public static final String DEAD_COMMAND = "io.trainyard.job.rejected.v1";
    public static final String CONTROL = "io.trainyard.job.control.v1";
    public static final String METRIC = "io.trainyard.job.metric.v1";
    public static final String WORKER_STATUS = "io.trainyard.worker.status.v1";
    public static final String OWNERSHIP = "io.trainyard.job.ownership.v1";

    static final String SOURCE = "ce_source";

    private static final String TIME = "ce_time";

    public static final String CLI = "/cli";

    public static final String DASHBOARD = "/dashboard";

    static final String WORKERS = "/workers/";

    /// The header that connects the records of one trace (W3C Trace Context).
    public static final String TRACE_PARENT = "traceparent";

    private CloudEvents() {}

    /// Copies the trace header of the record that caused this one, unless it is too long
    /// ([CommandHeaders#MAX_BYTES]).
    public static void continueTrace(Headers cause, Headers effect) {
        Header trace = cause.lastHeader(TRACE_PARENT);
        if (trace != null && trace.value() != null && trace.value().length <= CommandHeaders.MAX_BYTES) {
            effect.add(trace);
        }
    }

    public static String worker(String id) {
        return WORKERS + id;
    }

    public static RecordHeaders headers(String type, String source) {
        return headers(type, source, Instant.now());
    }

    /// @param source the publisher as a URI reference: `/workers/<id>`, [#CLI] or [#DASHBOARD]. If another
    ///     worker republishes an event, the source is kept
    public static RecordHeaders headers(String type, String source, Instant time) {
        RecordHeaders headers = new RecordHeaders();
        Map.of(
                        "ce_specversion",
                        "1.0",
                        "ce_id",
                        UUID.randomUUID().toString(),
                        "ce_type",
                        type,
                        SOURCE,
                        source,
                        TIME,
                        time.truncatedTo(ChronoUnit.MILLIS).toString(),
                        "content-type",
                        "application/json")
                .forEach((key, value) -> headers.add(key, value.getBytes(StandardCharsets.UTF_8)));
        return headers;
    }

    /// The time in the header, by the writer's clock; empty if it is missing or invalid.
    public static Optional<Instant> time(Headers headers) {
        Header time = headers.lastHeader(TIME);
        if (time == null || time.value() == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Instant.parse(new String(time.value(), StandardCharsets.UTF_8)));
        } catch (DateTimeParseException _) { // any client can write to a topic
            return Optional.empty();
        }
    }

    public static String type(TrainingEvent event) {
        String words = event.type().replaceAll("(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
        return "io.trainyard.job.%s.v1".formatted(words);
    }
}
