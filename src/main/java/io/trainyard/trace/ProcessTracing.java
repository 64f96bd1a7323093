package io.trainyard.trace;

import static java.util.Map.entry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The tracing that the environment configures.
final class ProcessTracing {
    private static final Pattern TRACE_PARENT = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    private static final System.Logger LOG = System.getLogger(ProcessTracing.class.getName());

    static final Tracing TRACING = of(System.getenv());

    private ProcessTracing() {}

    /// Wrong settings are logged and turn tracing off: a job is worth more than its traces.
    private static Tracing of(Map<String, String> environment) {
        if (!Tracing.isOn(environment)) {
            return Tracing.OFF;
        }
        try {
            return new SpanTracing(Configured.openTelemetry());
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "tracing is off: OpenTelemetry cannot use the OTEL_ variables of the environment ({0}); docs/how-to/trace-and-log.md lists them",
                    e.getMessage());
            return Tracing.OFF;
        }
    }

    /// The trace of the process, from `TRACEPARENT`, which OpenTelemetry defines for child processes.
    static @Nullable String parent() {
        String parent = System.getenv("TRACEPARENT");
        return parent != null && TRACE_PARENT.matcher(parent).matches() ? parent : null;
    }

    /// A separate class, so that OpenTelemetry is only loaded if tracing is on.
    private static final class Configured {
        private static final Map<String, String> DEFAULTS = Map.ofEntries(
                entry("otel.service.name", "trainyard"),
                entry("otel.exporter.otlp.protocol", "http/protobuf"), // works with Java's own HTTP client
                entry("otel.metrics.exporter", "none"),
                entry("otel.logs.exporter", "none"));

        /// Uses OpenTelemetry's own variables. A shutdown hook exports the remaining spans.
        static OpenTelemetry openTelemetry() {
            return AutoConfiguredOpenTelemetrySdk.builder()
                    .addPropertiesSupplier(() -> DEFAULTS)
                    .build()
                    .getOpenTelemetrySdk();
        }
    }
}
