package io.trainyard.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Tracing with OpenTelemetry. Names and attributes of spans are in docs/how-to/trace-and-log.md.
public final class SpanTracing implements Tracing {
    static final AttributeKey<String> JOB = AttributeKey.stringKey("trainyard.job");
    static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("trainyard.attempt");
    static final AttributeKey<String> WORKER = AttributeKey.stringKey("trainyard.worker");

    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    private static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
    private static final String TRACE_PARENT = "traceparent";

    private final Tracer tracer;

    public SpanTracing(OpenTelemetry openTelemetry) {
        tracer = openTelemetry.getTracer("io.trainyard");
    }

    @Override
    public Sending sends(String job, String topic) {
        Span span = tracer.spanBuilder("submit")
                .setSpanKind(SpanKind.PRODUCER)
                .setParent(context(ProcessTracing.parent()))
                .setAttribute(SYSTEM, "kafka")
                .setAttribute(DESTINATION, topic)
                .setAttribute(JOB, job)
                .startSpan();
        return new Sending() {
            @Override
            public @Nullable String traceParent() {
                return SpanTracing.traceParent(span.getSpanContext());
            }

            @Override
            public void acknowledged() {
                span.end();
            }
        };
    }

    @Override
    public Claim claims(String job, String worker, @Nullable String cause) {
        Span claim = tracer.spanBuilder("claim")
                .setSpanKind(SpanKind.CONSUMER)
                .setParent(context(cause))
                .setAttribute(SYSTEM, "kafka")
                .setAttribute(JOB, job)
                .setAttribute(WORKER, worker)
                .startSpan();
        return attempt -> {
            claim.setAttribute(ATTEMPT, (long) attempt);
            SpanBuilder builder = root("attempt", claim.getSpanContext())
                    .setAttribute(JOB, job)
                    .setAttribute(ATTEMPT, (long) attempt)
                    .setAttribute(WORKER, worker);
            claim.end();
            return new AttemptSpans(this, builder.startSpan(), traceParent(claim.getSpanContext()), attempt);
        };
    }

    /// The root of a new trace, linked to its cause.
    SpanBuilder root(String name, SpanContext from) {
        return tracer.spanBuilder(name).setNoParent().addLink(from);
    }

    SpanBuilder child(String name, Span of) {
        return tracer.spanBuilder(name).setParent(Context.root().with(of));
    }

    private static Context context(@Nullable String traceParent) {
        return traceParent == null
                ? Context.root()
                : W3CTraceContextPropagator.getInstance()
                        .extract(Context.root(), Map.of(TRACE_PARENT, traceParent), OfMap.GETTER);
    }

    private static @Nullable String traceParent(SpanContext span) {
        Map<String, String> headers = new HashMap<>();
        W3CTraceContextPropagator.getInstance()
                .inject(Context.root().with(Span.wrap(span)), headers, (map, key, value) -> {
                    if (map != null) {
                        map.put(key, value);
                    }
                });
        return headers.get(TRACE_PARENT);
    }

    private enum OfMap implements TextMapGetter<Map<String, String>> {
        GETTER;

        @Override
        public Iterable<String> keys(Map<String, String> map) {
            return List.copyOf(map.keySet());
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> map, String key) {
            return map == null ? null : map.get(key);
        }
    }
}
