package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.module.paramnames.ParameterNamesModule;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import org.jspecify.annotations.Nullable;

/// Events as JSON: one line each, `type` first, then `job` and `attempt`. The same bytes are on the topics and
/// on the command line.
public final class EventJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(new ParameterNamesModule())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
            .build();

    private EventJson() {}

    public static byte[] write(TrainingEvent event) {
        return bytes(event);
    }

    public static byte[] write(WorkerStatus status) {
        return bytes(status);
    }

    /// @throws IOException if it is not an event, of a type this version does not know, lacks a field, or has a job or
    /// an
    ///     attempt that cannot be
    public static TrainingEvent readEvent(byte[] json) throws IOException {
        TrainingEvent event = MAPPER.readValue(json, TrainingEvent.class);
        if (event == null) {
            throw new IOException("null is not an event");
        }
        requireComplete(event);
        requireId("job", event.job());
        if (event.attempt() < 1) {
            throw new IOException("the attempt is %d; attempts count from 1".formatted(event.attempt()));
        }
        return event;
    }

    /// Anyone can write to a topic: without this, a missing text or list is found out far from here.
    private static void requireComplete(TrainingEvent event) throws IOException {
        for (RecordComponent field : event.getClass().getRecordComponents()) {
            try {
                boolean optional = field.getAnnotatedType().isAnnotationPresent(Nullable.class);
                if (!optional && field.getAccessor().invoke(event) == null) {
                    throw new IOException("the field %s of a %s event is missing"
                            .formatted(field.getName(), event.getClass().getSimpleName()));
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("an event is a record", e);
            }
        }
    }

    /// @throws IOException if it is not a worker's status
    public static WorkerStatus readStatus(byte[] json) throws IOException {
        WorkerStatus status = MAPPER.readValue(json, WorkerStatus.class);
        if (status == null) {
            throw new IOException("null is not a status");
        }
        requireId("worker", status.worker());
        return status;
    }

    private static void requireId(String what, @Nullable String id) throws IOException {
        if (!JobNews.isId(id)) {
            throw new IOException("the %s's id has %d characters; allowed is 1 to %d"
                    .formatted(what, id == null ? 0 : id.length(), JobNews.MAX_ID));
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
