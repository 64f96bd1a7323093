package io.trainyard.topics;

import io.trainyard.event.TrainingEvent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
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
    public static final String WORKER_STATUS = "io.trainyard.worker.status.v1";
    public static final String OWNERSHIP = "io.trainyard.job.ownership.v1";

    /// The header with the source of an event.
    static final String SOURCE = "ce_source";

    private static final String TIME = "ce_time";

    /// The source of commands and control requests from the command line.
    public static final String CLI = "/cli";

    /// The source of commands and control requests from the dashboard.
    public static final String DASHBOARD = "/dashboard";

    /// The prefix of a worker's source, followed by its id.
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

    /// The source of a worker's records, as a URI reference.
    public static String worker(String id) {
        return WORKERS + id;
    }

    /// Like the other `headers`, with the current time.
    public static RecordHeaders headers(String type, String source) {
        return headers(type, source, Instant.now());
    }

    /// @param type such as [#COMMAND]
    /// @param source the publisher as a URI reference: `/workers/<id>`, [#CLI] or [#DASHBOARD]. If another
    ///     worker republishes an event, the source is kept
    /// @param time when it happened
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
        return switch (event) {
            case TrainingEvent.Claimed _ -> "io.trainyard.job.claimed.v1";
            case TrainingEvent.Started _ -> "io.trainyard.job.started.v1";
            case TrainingEvent.StepLosses _ -> "io.trainyard.job.step-losses.v1";
            case TrainingEvent.EpochTested _ -> "io.trainyard.job.epoch-tested.v1";
            case TrainingEvent.CheckpointSaved _ -> "io.trainyard.job.checkpoint-saved.v1";
            case TrainingEvent.Finished _ -> "io.trainyard.job.finished.v1";
            case TrainingEvent.Failed _ -> "io.trainyard.job.failed.v1";
            case TrainingEvent.Released _ -> "io.trainyard.job.released.v1";
            case TrainingEvent.Paused _ -> "io.trainyard.job.paused.v1";
            case TrainingEvent.Resumed _ -> "io.trainyard.job.resumed.v1";
            case TrainingEvent.Cancelled _ -> "io.trainyard.job.cancelled.v1";
            case TrainingEvent.Expanded _ -> "io.trainyard.job.expanded.v1";
        };
    }
}
