package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.module.paramnames.ParameterNamesModule;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Events as JSON: one line each, `type` first, then `job`, `attempt` and `time`. The same bytes are on the topics
/// and on the command line.
///
/// Anyone can write to a topic, so what is read is bounded, and whatever is wrong with it is an [IOException].
public final class EventJson {
    /// The longest record that is read, in bytes: what a worker may send, before it is compressed.
    public static final int MAX_BYTES = 8 << 20;

    /// The longest heartbeat, in bytes: readers keep one of each worker.
    public static final int MAX_STATUS_BYTES = 1 << 18;

    /// The longest text, in characters: a reason may tell much.
    private static final int MAX_TEXT = 1 << 20;

    /// Lists and objects within one another: those of a job, and the event around it. Making objects of hundreds
    /// would overflow a thread's stack.
    private static final int MAX_NESTING = JobJson.MAX_NESTING + 1;

    /// The longest number, in digits. Those of a worker have 25 at most.
    private static final int MAX_DIGITS = 100;

    private static final int MAX_FIELD_NAME = 1000;

    /// The longest name of a job's devices, in characters: it may have several.
    private static final int MAX_DEVICE = 1000;

    /// Of each record the fields that must be there. Kept, because Java makes them anew, and slowly, whenever asked.
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
            .addModule(new ParameterNamesModule())
            .addModule(JsonTime.module())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
            .build();

    private EventJson() {}

    /// @param time when it happened
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

    public static byte[] write(WorkerStatus status) {
        return bytes(status);
    }

    public static byte[] write(Control control) {
        return bytes(control);
    }

    /// @throws IOException if it is not an event, of a type this version does not know, lacks a field, or has a
    ///     job, an attempt or a time that cannot be
    public static Told readEvent(byte[] json) throws IOException {
        requireLength(json);
        return readWritten(json);
    }

    /// As [#write(TrainingEvent, Instant)] wrote it, however long that is: a number can be longer than it was read.
    ///
    /// @throws IOException as [#readEvent]
    public static Told readWritten(byte[] json) throws IOException {
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
        if (event.attempt() < 1) {
            throw new IOException("the attempt is %d; attempts count from 1".formatted(event.attempt()));
        }
        return new Told(event, read(json, Stamp.class, "an event").time());
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record Stamp(@Nullable Instant time) {}

    /// Anyone can write to a topic: without this, a missing text or list is found out far from here.
    private static void requireComplete(Object told) throws IOException {
        for (Method field : NEEDED.get(told.getClass())) {
            try {
                if (field.invoke(told) == null) {
                    throw new IOException("the field %s of a %s is missing"
                            .formatted(field.getName(), told.getClass().getSimpleName()));
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("what is told is a record", e);
            }
        }
    }

    /// @throws IOException if it is not a worker's status
    public static WorkerStatus readStatus(byte[] json) throws IOException {
        if (json.length > MAX_STATUS_BYTES) {
            throw new IOException("it has %d bytes; allowed is up to %d".formatted(json.length, MAX_STATUS_BYTES));
        }
        WorkerStatus status = read(json, WorkerStatus.class, "a worker's status");
        requireComplete(status);
        requireId("worker", status.worker());
        for (WorkerStatus.Job held : status.jobs()) {
            if (held == null) {
                throw new IOException("a job that the worker has is null");
            }
            requireId("job", held.job());
        }
        if (status.slots() < 1) {
            throw new IOException("the worker has %d slots; it has one at least".formatted(status.slots()));
        }
        return status;
    }

    /// @throws IOException if it does not say what is wished of a job
    public static Control readControl(byte[] json) throws IOException {
        requireLength(json);
        Control control = read(json, Control.class, "what is wished of a job");
        requireComplete(control);
        requireId("job", control.job());
        return control;
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
        if (!JobNews.isId(id)) {
            throw new IOException("the %s's id has %d characters; allowed is 1 to %d"
                    .formatted(what, id == null ? 0 : id.length(), JobNews.MAX_ID));
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
