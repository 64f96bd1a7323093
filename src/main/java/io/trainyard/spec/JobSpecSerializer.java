package io.trainyard.spec;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import java.io.IOException;
import java.lang.reflect.RecordComponent;

/// Writes the fields of a job that apply to its kind, in the order of [JobSpec].
final class JobSpecSerializer extends JsonSerializer<JobSpec> {
    @Override
    public void serialize(JobSpec job, JsonGenerator out, SerializerProvider provider) throws IOException {
        out.writeStartObject();
        for (RecordComponent field : JobSpec.class.getRecordComponents()) {
            Object value = value(job, field);
            boolean oneOfSeveral = field.getName().equals("device") && job.devices() != null;
            if (value != null && job.kind().has(field.getName()) && !oneOfSeveral) {
                provider.defaultSerializeField(field.getName(), value, out);
            }
        }
        out.writeEndObject();
    }

    private static Object value(JobSpec job, RecordComponent field) {
        try {
            return field.getAccessor().invoke(job);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a job is a record", e);
        }
    }
}
