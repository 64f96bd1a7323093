package io.trainyard.trace;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The traces of jobs. A job lasts for hours and changes hands: so its command is the root of one trace, in which
/// whoever takes it has a
/// span, and each attempt and each epoch is the root of another, linked to where it came from.
public interface Tracing {
    /// Nothing is traced; who asked for a job is still told on.
    Tracing OFF = new NoTracing();

    /// As the process's environment asks for.
    static Tracing ofProcess() {
        return ProcessTracing.TRACING;
    }

    /// Whether somebody wants traces: OpenTelemetry's own variables, but that it is off unless an exporter is named.
    static boolean isOn(Map<String, String> environment) {
        String exporter =
                environment.getOrDefault("OTEL_TRACES_EXPORTER", "none").strip();
        return !exporter.isEmpty()
                && !exporter.equals("none")
                && !Boolean.parseBoolean(environment.get("OTEL_SDK_DISABLED"));
    }

    Sending sends(String job, String topic);

    /// A worker looks at a command, to take it.
    ///
    /// @param cause the command's `traceparent`; null: it has none
    Claim claims(String job, String worker, @Nullable String cause);

    interface Sending {
        /// Its `traceparent`; null: it has none.
        @Nullable
        String traceParent();

        /// All replicas have it.
        void acknowledged();
    }

    /// The work of taking a command. One that leads to no attempt is not told.
    interface Claim {
        /// It has led to an attempt.
        AttemptTrace begun(int attempt);
    }
}
