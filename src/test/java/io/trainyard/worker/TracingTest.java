package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.CommandSender;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import io.trainyard.trace.SpanTracing;
import io.trainyard.trace.Tracing;
import io.trainyard.training.JobTraining;
import io.trainyard.training.Outcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The spans of a job from its submission to its checkpoints, as exported to OpenTelemetry.
@Slow
final class TracingTest {
    private static final String JOB = """
            {"id": "traced", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}, "dataset": "shapes28",
             "batchSize": 1000, "epochs": 2}""";

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final Tracing tracing = new SpanTracing(OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build());
    private final Fleet fleet = new Fleet();

    @TempDir
    Path data;

    @AfterEach
    void close() {
        fleet.close();
    }

    private void start(JobRunner runner) {
        var _ = fleet.start(new FleetWorker.Setup("w", Set.of("cpu"), fleet.outbox).traced(tracing), runner);
    }

    private void submit(String job) {
        new CommandSender(new Cluster(fleet.brokers, fleet.prefix, Patience.LIMIT), CloudEvents.CLI, tracing)
                .send(List.of(JobJson.read(job.getBytes(StandardCharsets.UTF_8))), Priority.NORMAL, _ -> {});
    }

    private SpanData span(String name) {
        return spans(name).getFirst();
    }

    private List<SpanData> spans(String name) {
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    private static List<SpanContext> links(SpanData span) {
        return span.getLinks().stream().map(LinkData::getSpanContext).toList();
    }

    @Test
    void submissionClaimAndAttemptAreLinked() {
        JobTraining training = new JobTraining(DataRoots.ofFolder(data), new DeviceSpec("reference"), 1, "w");
        start((job, attempt, supervisor) ->
                training.attempt(job, new JobFolder(fleet.store, job.id()), attempt, supervisor));
        submit(JOB);
        fleet.eventsUntilFinished(1);
        Patience.await("the attempt's span").until(() -> !spans("attempt").isEmpty());

        SpanData submit = span("submit");
        SpanData claim = span("claim");
        SpanData attempt = span("attempt");
        assertThat(submit.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(submit.getParentSpanContext().isValid()).isFalse();
        assertThat(claim.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(claim.getTraceId()).isEqualTo(submit.getTraceId());
        assertThat(claim.getParentSpanId()).isEqualTo(submit.getSpanId());
        assertThat(attempt.getTraceId()).isNotEqualTo(submit.getTraceId());
        assertThat(links(attempt)).containsExactly(claim.getSpanContext());
        assertThat(spans("epoch")).hasSize(2).allSatisfy(epoch -> {
            assertThat(epoch.getParentSpanContext().isValid()).isFalse();
            assertThat(links(epoch)).containsExactly(attempt.getSpanContext());
            assertThat(epoch.getEndEpochNanos()).isGreaterThan(epoch.getStartEpochNanos());
        });
        assertThat(spans("epoch"))
                .extracting(epoch -> epoch.getAttributes().get(AttributeKey.longKey("trainyard.epoch")))
                .containsExactly(0L, 1L);
        assertThat(spans("checkpoint")).isNotEmpty().allSatisfy(checkpoint -> {
            assertThat(spans("epoch")).extracting(SpanData::getTraceId).contains(checkpoint.getTraceId());
            assertThat(checkpoint.getAttributes().get(AttributeKey.longKey("trainyard.checkpoint.bytes")))
                    .isPositive();
        });
        assertThat(attempt.getAttributes().asMap())
                .containsAllEntriesOf(Map.of(
                        AttributeKey.stringKey("trainyard.job"), "traced",
                        AttributeKey.longKey("trainyard.attempt"), 1L,
                        AttributeKey.stringKey("trainyard.worker"), "w",
                        AttributeKey.stringKey("trainyard.outcome"), "finished"));
        assertThat(attempt.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    }

    @Test
    void commandAndEventsCarryTheTrace() {
        start(fleet.runner("w"));
        submit(Fleet.job("traced"));
        var events = fleet.read(Topic.JOBS, read -> read.size() >= 2);
        String command = Fleet.header(
                fleet.read(Topic.COMMANDS_NORMAL, read -> !read.isEmpty()).getFirst(), "traceparent");

        assertThat(command).isEqualTo(parent(span("submit")));
        assertThat(events)
                .extracting(event -> Fleet.header(event, "traceparent"))
                .containsOnly(parent(span("claim")));
    }

    @Test
    void aFailureIsAnError() {
        start((job, attempt, supervisor) -> {
            Failed failed = SampleEvents.failed(job.id(), attempt, "there is no such class");
            supervisor.publish(failed);
            return new Outcome.Failed(failed);
        });
        submit(Fleet.job("traced"));
        Patience.await("the attempt's span").until(() -> !spans("attempt").isEmpty());

        assertThat(span("attempt").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span("attempt").getStatus().getDescription()).isEqualTo("there is no such class");
    }

    private static String parent(SpanData span) {
        return "00-%s-%s-01".formatted(span.getTraceId(), span.getSpanId());
    }
}
