package io.trainyard.ownership;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.EnumFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.module.paramnames.ParameterNamesModule;
import io.trainyard.ownership.CommandContent.Refusal;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSchemaVersion;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.util.List;

public final class OwnershipJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(new ParameterNamesModule())
            .addModule(new SimpleModule().addDeserializer(JobSpec.class, new Job()))
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
            .build();

    private static final String SCHEMA_VERSION = "schemaVersion";

    private static final TypeReference<List<Refusal>> REFUSALS = new TypeReference<>() {};

    private OwnershipJson() {}

    public static byte[] write(Ownership ownership) {
        return bytes(ownership);
    }

    public static byte[] write(List<Refusal> refusals) {
        return bytes(refusals);
    }

    private static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an ownership is always writable", e);
        }
    }

    /// @throws IOException if it is invalid: anyone can write to a topic
    public static Ownership read(byte[] json) throws IOException {
        return read(json, JobSchemaVersion.OURS.newest());
    }

    /// As [#read(byte[])], for readers that support an older schema version.
    public static Ownership read(byte[] json, int schemaVersion) throws IOException {
        Ownership ownership =
                MAPPER.reader().withAttribute(SCHEMA_VERSION, schemaVersion).readValue(json, Ownership.class);
        if (ownership == null) {
            throw new IOException("null is not an ownership");
        }
        return ownership;
    }

    public static List<Refusal> readRefusals(byte[] json) throws IOException {
        List<Refusal> refusals = MAPPER.readValue(json, REFUSALS);
        if (refusals == null) {
            throw new IOException("null is not a list of refusals");
        }
        if (refusals.contains(null)) {
            throw new IOException("a refusal is null; each has a worker and a reason");
        }
        return refusals;
    }

    /// Writes a job like a command. It must be registered at the property, because the annotation on the job's
    /// type takes precedence over the mapper's settings.
    static final class LeastJob extends JsonSerializer<JobSpec> {
        @Override
        public void serialize(JobSpec job, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeTree(JobJson.command(job).json());
        }
    }

    /// Reads a job as strictly as a command.
    private static final class Job extends JsonDeserializer<JobSpec> {
        @Override
        public JobSpec deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            JsonNode json = parser.readValueAsTree();
            try {
                return JobJson.read(json, (int) context.getAttribute(SCHEMA_VERSION));
            } catch (InvalidJobException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
    }
}
