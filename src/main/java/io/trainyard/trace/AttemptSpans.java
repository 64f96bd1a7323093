package io.trainyard.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The spans of an attempt: its own, one per epoch, and one per checkpoint as a child of the epoch in which it began.
/// Only ended spans are exported, so the finished epochs of a worker that dies are visible.
final class AttemptSpans implements AttemptTrace {
    private static final AttributeKey<String> DEVICE = AttributeKey.stringKey("trainyard.device");
    private static final AttributeKey<Long> EPOCH = AttributeKey.longKey("trainyard.epoch");
    private static final AttributeKey<Long> STEP = AttributeKey.longKey("trainyard.step");
    private static final AttributeKey<Double> TEST_LOSS = AttributeKey.doubleKey("trainyard.test.loss");
    private static final AttributeKey<Double> TEST_ACCURACY = AttributeKey.doubleKey("trainyard.test.accuracy");
    private static final AttributeKey<Long> BYTES = AttributeKey.longKey("trainyard.checkpoint.bytes");
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("trainyard.outcome");

    private final SpanTracing tracing;
    private final Span span;
    private final @Nullable String traceParent;
    private final int attempt;
    private @Nullable Span epoch; // the current one, or the previous one until the first losses of the next
    private boolean open; // whether it is the current one
    private Instant boundary = Instant.EPOCH; // the end of the previous epoch
    private @Nullable Span checkpoint; // at most one is being written

    AttemptSpans(SpanTracing tracing, Span span, @Nullable String traceParent, int attempt) {
        this.tracing = tracing;
        this.span = span;
        this.traceParent = traceParent;
        this.attempt = attempt;
    }

    @Override
    public @Nullable String traceParent() {
        return traceParent;
    }

    @Override
    public synchronized void saves(long step) {
        Span part = epoch == null ? span : epoch;
        checkpoint = tracing.child("checkpoint", part).setAttribute(STEP, step).startSpan();
    }

    @Override
    public synchronized void see(TrainingEvent event, Instant time) {
        if (event.attempt() != attempt) { // a republished event of an earlier attempt
            return;
        }
        switch (event) {
            case Claimed e -> span.setAttribute(DEVICE, e.device());
            case Started _ -> boundary = time;
            case StepLosses _ -> epoch();
            case EpochTested e -> {
                endEpoch(epoch(), e, time);
                boundary = time;
            }
            case CheckpointSaved e -> saved(e, time);
            case Finished _ -> end("finished", time);
            case Failed e -> {
                span.setStatus(StatusCode.ERROR, e.reason());
                end("failed", time);
            }
            case Cancelled _ -> end("cancelled", time);
            case Released _ -> end("released", time);
            case Paused _ -> end("paused", time);
            case TrainingEvent.Expanded _ -> end("expanded", time);
            case Resumed _ -> {} // published when no attempt runs
        }
    }

    private Span epoch() {
        if (open && epoch != null) {
            return epoch;
        }
        Span begun = tracing.root("epoch", span.getSpanContext())
                .setStartTimestamp(boundary)
                .startSpan();
        epoch = begun;
        open = true;
        return begun;
    }

    private void endEpoch(Span ended, EpochTested event, Instant time) {
        ended.setAttribute(SpanTracing.JOB, event.job())
                .setAttribute(SpanTracing.ATTEMPT, (long) attempt)
                .setAttribute(EPOCH, (long) event.epoch())
                .setAttribute(STEP, event.step())
                .setAttribute(TEST_LOSS, event.testLoss());
        if (event.testAccuracy() != null) {
            ended.setAttribute(TEST_ACCURACY, event.testAccuracy());
        }
        ended.end(time);
        open = false;
    }

    private void saved(CheckpointSaved event, Instant time) {
        if (checkpoint != null) {
            checkpoint
                    .setAttribute(SpanTracing.JOB, event.job())
                    .setAttribute(SpanTracing.ATTEMPT, (long) attempt)
                    .setAttribute(STEP, event.step())
                    .setAttribute(BYTES, event.bytes());
            checkpoint.end(time);
            checkpoint = null;
        }
    }

    private void end(String outcome, Instant time) {
        span.setAttribute(OUTCOME, outcome);
        span.end(time);
    }
}
