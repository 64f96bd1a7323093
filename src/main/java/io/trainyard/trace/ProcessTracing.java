package io.trainyard.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What the environment says of traces.
final class ProcessTracing {
    private static final Pattern TRACE_PARENT = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    static final Tracing TRACING = of(System.getenv());

    private ProcessTracing() {}

    private static Tracing of(Map<String, String> environment) {
        return Tracing.isOn(environment) ? new SpanTracing(Configured.openTelemetry()) : Tracing.OFF;
    }

    /// Where the process itself belongs: `TRACEPARENT`, as OpenTelemetry has programs hand it to programs.
    static @Nullable String parent() {
        String parent = System.getenv("TRACEPARENT");
        return parent != null && TRACE_PARENT.matcher(parent).matches() ? parent : null;
    }

    /// A class of its own, so that who wants no traces loads none of OpenTelemetry.
    private static final class Configured {
        /// By its own variables; a hook sends at the end of the process what is still here. Traces are all that is
        /// told: the
        /// numbers are Prometheus'.
        static OpenTelemetry openTelemetry() {
            return AutoConfiguredOpenTelemetrySdk.builder()
                    .addPropertiesSupplier(() -> Map.of(
                            "otel.service.name",
                            "trainyard",
                            "otel.metrics.exporter",
                            "none",
                            "otel.logs.exporter",
                            "none"))
                    .build()
                    .getOpenTelemetrySdk();
        }
    }
}
