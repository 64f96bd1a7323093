package io.trainyard.trace;

import static java.util.Map.entry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What the environment says of traces.
final class ProcessTracing {
    private static final Pattern TRACE_PARENT = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    private static final System.Logger LOG = System.getLogger(ProcessTracing.class.getName());

    static final Tracing TRACING = of(System.getenv());

    private ProcessTracing() {}

    /// A job is worth more than its traces: what is wrong with their settings is said, and ends nothing.
    private static Tracing of(Map<String, String> environment) {
        if (!Tracing.isOn(environment)) {
            return Tracing.OFF;
        }
        try {
            return new SpanTracing(Configured.openTelemetry());
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "nothing is traced: OpenTelemetry cannot use the OTEL_ variables of the environment ({0}); docs/how-to/trace-and-log.md says which there are",
                    e.getMessage());
            return Tracing.OFF;
        }
    }

    /// Where the process itself belongs: `TRACEPARENT`, as OpenTelemetry has programs hand it to programs.
    static @Nullable String parent() {
        String parent = System.getenv("TRACEPARENT");
        return parent != null && TRACE_PARENT.matcher(parent).matches() ? parent : null;
    }

    /// A class of its own, so that who wants no traces loads none of OpenTelemetry.
    private static final class Configured {
        private static final Map<String, String> DEFAULTS = Map.ofEntries(
                entry("otel.service.name", "trainyard"),
                entry("otel.exporter.otlp.protocol", "http/protobuf"), // what Java's own client speaks
                entry("otel.metrics.exporter", "none"),
                entry("otel.logs.exporter", "none"));

        /// By its own variables; a hook sends at the end of the process what is still here. Traces are all that
        /// is told: the numbers are Prometheus'.
        static OpenTelemetry openTelemetry() {
            return AutoConfiguredOpenTelemetrySdk.builder()
                    .addPropertiesSupplier(() -> DEFAULTS)
                    .build()
                    .getOpenTelemetrySdk();
        }
    }
}
