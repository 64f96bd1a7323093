package io.trainyard.trace;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The traces of jobs. A job runs for hours on several workers. Therefore its command and its claims form one trace,
/// and each attempt and each epoch is the root of another one, linked to its cause.
public interface Tracing {
    /// Creates no spans; `traceparent` headers of commands are still passed on.
    Tracing OFF = new NoTracing();

    static Tracing ofProcess() {
        return ProcessTracing.TRACING;
    }

    /// Reads OpenTelemetry's own variables. Unlike there, tracing is off unless an exporter is named.
    static boolean isOn(Map<String, String> environment) {
        String exporter =
                environment.getOrDefault("OTEL_TRACES_EXPORTER", "none").strip();
        return !exporter.isEmpty()
                && !exporter.equals("none")
                && !Boolean.parseBoolean(environment.get("OTEL_SDK_DISABLED"));
    }

    Sending sends(String job, String topic);

    /// A worker begins to claim a command.
    ///
    /// @param cause the command's `traceparent`; null if it has none
    Claim claims(String job, String worker, @Nullable String cause);

    interface Sending {
        /// The `traceparent` header of the record; null for no header.
        @Nullable
        String traceParent();

        /// All replicas have it.
        void acknowledged();
    }

    /// The span of a claim. It is not exported if the claim leads to no attempt.
    interface Claim {
        AttemptTrace begun(int attempt);
    }
}
