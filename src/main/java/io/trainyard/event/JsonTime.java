package io.trainyard.event;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/// Times in JSON: ISO 8601 in UTC with milliseconds, such as `2026-11-22T03:04:05.678Z`.
final class JsonTime {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /// Later years have another text format.
    private static final Instant END = Instant.parse("9999-12-31T23:59:59.999Z");

    private JsonTime() {}

    static String text(Instant time) {
        return FORMAT.format(time);
    }

    static SimpleModule module() {
        return new SimpleModule()
                .addSerializer(Instant.class, new Writer())
                .addDeserializer(Instant.class, new Reader());
    }

    private static final class Writer extends JsonSerializer<Instant> {
        @Override
        public void serialize(Instant time, JsonGenerator json, SerializerProvider provider) throws IOException {
            json.writeString(text(time));
        }
    }

    private static final class Reader extends JsonDeserializer<Instant> {
        @Override
        public Instant deserialize(JsonParser json, DeserializationContext context) throws IOException {
            String text = json.getValueAsString("");
            try {
                Instant time = Instant.parse(text).truncatedTo(ChronoUnit.MILLIS);
                if (!time.isBefore(Instant.EPOCH) && !time.isAfter(END)) {
                    return time;
                }
            } catch (DateTimeException _) { // reported below
            }
            throw new IOException("a time is \"%s\"; allowed is 1970 to 9999, as 2026-11-22T03:04:05.678Z"
                    .formatted(text.substring(0, Math.min(text.length(), 40))));
        }
    }
}
