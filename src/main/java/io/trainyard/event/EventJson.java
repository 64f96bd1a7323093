package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.module.paramnames.ParameterNamesModule;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Events as JSON, each on one line: `type` first, then `job`, `attempt` and `time`. Topics and the command
/// line use the same bytes.
///
/// Any client can write to a topic. Therefore the size of input is limited, and every error in it is an
/// [IOException].
public final class EventJson {
    /// The maximum size of a record in bytes, before compression. Workers and readers use the same limit.
    public static final int MAX_BYTES = 8 << 20;

    /// The maximum size of a heartbeat in bytes. Readers keep one per worker.
    public static final int MAX_STATUS_BYTES = 1 << 18;

    /// The maximum length of a text in characters. A reason may be long.
    private static final int MAX_TEXT = 1 << 20;

    /// The maximum nesting of lists and objects: that of a job plus the event around it. Deserializing hundreds
    /// of levels would overflow a thread's stack.
    private static final int MAX_NESTING = JobJson.MAX_NESTING + 1;

    /// The maximum number of digits of a number. Workers write at most 25.
    private static final int MAX_DIGITS = 100;

    private static final int MAX_FIELD_NAME = 1000;

    private static final int MAX_DEVICE = 1000;

    /// The mandatory fields of each record. Cached because reflection creates them on each call.
    private static final ClassValue<List<Method>> NEEDED = new ClassValue<>() {
        @Override
        protected List<Method> computeValue(Class<?> type) {
            return Arrays.stream(type.getRecordComponents())
                    .filter(field -> !field.getAnnotatedType().isAnnotationPresent(Nullable.class))
                    .map(RecordComponent::getAccessor)
                    .toList();
        }
    };

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_NESTING)
                            .maxStringLength(MAX_TEXT)
                            .maxNumberLength(MAX_DIGITS)
                            .maxNameLength(MAX_FIELD_NAME)
                            .build())
                    .build())
            .addModules(new ParameterNamesModule(), JobJson.fields())
            .addModule(JsonTime.module())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
            .build();

    private EventJson() {}

    public static byte[] write(TrainingEvent event, Instant time) {
        ObjectNode fields = MAPPER.valueToTree(event);
        ObjectNode line = MAPPER.createObjectNode();
        for (var field : fields.properties()) {
            line.set(field.getKey(), field.getValue());
            if (field.getKey().equals("attempt")) {
                line.put("time", JsonTime.text(time));
            }
        }
        return bytes(line);
    }

    /// The first line of a [RunLog].
    static byte[] write(JobSpec job, Instant time) {
        ObjectNode line = MAPPER.createObjectNode().put("time", JsonTime.text(time));
        line.set("command", JobJson.command(job).json());
        return bytes(line);
    }

    public static byte[] write(WorkerStatus status) {
        return bytes(status);
    }

    public static byte[] write(Control control) {
        return bytes(control);
    }

    /// @throws IOException if it is not an event, has an unknown type or no value for a mandatory field, or has
    ///     an invalid job, attempt or time
    public static TimestampedEvent readEvent(byte[] json) throws IOException {
        requireLength(json);
        return readWritten(json);
    }

    /// Reads an event from [#write(TrainingEvent, Instant)] without a length limit, because numbers may be
    /// longer when written than when read.
    ///
    /// @throws IOException like [#readEvent]
    public static TimestampedEvent readWritten(byte[] json) throws IOException {
        TrainingEvent event = read(json, TrainingEvent.class, "an event");
        requireComplete(event);
        requireId("job", event.job());
        if (event instanceof TrainingEvent.Claimed claimed) {
            requireId("worker", claimed.worker());
            requireDevice(claimed.device());
        }
        if (event instanceof TrainingEvent.Started started) {
            requireDevice(started.device());
        }
        if (event instanceof TrainingEvent.Finished finished && finished.test() != null) {
            requireComplete(finished.test());
        }
        if (event.attempt() < 1) {
            throw new IOException("the attempt is %d; attempts count from 1".formatted(event.attempt()));
        }
        return new TimestampedEvent(event, read(json, Stamp.class, "an event").time());
    }

    /// Like [#readEvent(byte[])], with another job id.
    static TimestampedEvent readEvent(byte[] json, String job) throws IOException {
        TimestampedEvent stamped = readEvent(json);
        return stamped.event().job().equals(job)
                ? stamped
                : readEvent(bytes(read(json, ObjectNode.class, "an event").put("job", job)));
    }

    /// Reads the first line of a [RunLog].
    static JobRecord.Requested readCommand(byte[] json, String job) throws IOException {
        requireLength(json);
        Command line = read(json, Command.class, "a command");
        @Nullable JobSpec spec;
        try {
            spec = JobJson.read(line.command());
        } catch (InvalidJobException _) {
            spec = null; // of another version
        }
        return new JobRecord.Requested(
                job, spec, "train-0 at offset 0", line.time().toEpochMilli());
    }

    private record Command(Instant time, JsonNode command) {
        Command {
            Objects.requireNonNull(time, "time");
            Objects.requireNonNull(command, "command");
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record Stamp(@Nullable Instant time) {}

    /// Any client can write to a topic. Without this check, a missing field would fail later.
    private static void requireComplete(Object value) throws IOException {
        for (Method field : NEEDED.get(value.getClass())) {
            try {
                if (field.invoke(value) == null) {
                    throw new IOException("the field %s of a %s is missing"
                            .formatted(field.getName(), value.getClass().getSimpleName()));
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("an event is a record", e);
            }
        }
    }

    public static WorkerStatus readStatus(byte[] json) throws IOException {
        if (json.length > MAX_STATUS_BYTES) {
            throw new IOException("it has %d bytes; allowed is up to %d".formatted(json.length, MAX_STATUS_BYTES));
        }
        WorkerStatus status = read(json, WorkerStatus.class, "a worker's status");
        requireComplete(status);
        requireId("worker", status.worker());
        for (WorkerStatus.Job held : status.jobs()) {
            if (held == null) {
                throw new IOException("a job of the worker is null");
            }
            requireId("job", held.job());
        }
        if (status.slots() < 1) {
            throw new IOException("the worker has %d slots; the minimum is 1".formatted(status.slots()));
        }
        return status;
    }

    public static Control readControl(byte[] json) throws IOException {
        requireLength(json);
        Control control = read(json, Control.class, "control request");
        requireComplete(control);
        requireId("job", control.job());
        return control;
    }

    public static byte[] write(MetricValues metrics) {
        return bytes(metrics);
    }

    public static MetricValues readMetrics(byte[] json) throws IOException {
        if (json.length > MetricValues.MAX_BYTES) {
            throw new IOException(
                    "it has %d bytes; allowed is up to %d".formatted(json.length, MetricValues.MAX_BYTES));
        }
        MetricValues metrics;
        try {
            metrics = read(json, MetricValues.class, "values of metrics");
        } catch (ValueInstantiationException e) {
            throw new IOException(
                    e.getCause() == null ? e.getOriginalMessage() : e.getCause().getMessage(), e);
        }
        requireComplete(metrics);
        requireId("job", metrics.job());
        return metrics;
    }

    private static void requireLength(byte[] json) throws IOException {
        if (json.length > MAX_BYTES) {
            throw new IOException("it has %d bytes; allowed is up to %d".formatted(json.length, MAX_BYTES));
        }
    }

    private static <T> T read(byte[] json, Class<T> type, String what) throws IOException {
        T value = MAPPER.readValue(json, type);
        if (value == null) {
            throw new IOException("null is not " + what);
        }
        return value;
    }

    private static void requireId(String what, @Nullable String id) throws IOException {
        if (!JobRecord.isId(id)) {
            throw new IOException("the %s's id has %d characters; allowed is 1 to %d"
                    .formatted(what, id == null ? 0 : id.length(), JobRecord.MAX_ID));
        }
    }

    private static void requireDevice(String device) throws IOException {
        if (device.length() > MAX_DEVICE) {
            throw new IOException(
                    "the device has %d characters; allowed is up to %d".formatted(device.length(), MAX_DEVICE));
        }
    }

    private static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an event is always writable", e);
        }
    }
}
