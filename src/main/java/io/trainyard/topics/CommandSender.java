package io.trainyard.topics;

import static java.util.Map.entry;

import io.trainyard.event.Control;
import io.trainyard.event.EventJson;
import io.trainyard.event.MetricValues;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSchemaVersion;
import io.trainyard.spec.JobSpec;
import io.trainyard.trace.Tracing;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.internals.RecordHeaders;

/// Publishes commands and control requests, and reports which of them Kafka acknowledged.
public final class CommandSender {
    private static final int MAX_IN_FLIGHT = 500;

    private final Cluster kafka;
    private final String source;
    private final Tracing tracing;

    /// @param source the value of the header `ce_source`: [CloudEvents#CLI] or another
    public CommandSender(Cluster kafka, String source) {
        this(kafka, source, Tracing.ofProcess());
    }

    public CommandSender(Cluster kafka, String source, Tracing tracing) {
        this.kafka = kafka;
        this.source = source;
        this.tracing = tracing;
    }

    private record Sent(Due due, Future<RecordMetadata> answer) {}

    /// A record to send, with a callback for its acknowledgement by all replicas.
    private record Due(ProducerRecord<String, byte[]> record, Runnable acknowledged) {}

    /// Creates missing topics and publishes the jobs in order, each on the topic of its device kind.
    ///
    /// @param acknowledged called in order with each job that all replicas have
    /// @throws KafkaUnreachableException if the brokers do not answer; records without acknowledgement may have
    ///     been written
    public void send(List<JobSpec> jobs, Priority priority, Consumer<JobSpec> acknowledged) {
        send(jobs.stream().map(job -> command(job, priority, acknowledged)).toList());
    }

    public void control(List<Control> controls) {
        send(controls.stream()
                .map(control -> due(Topic.CONTROL, control.job(), EventJson.write(control), CloudEvents.CONTROL))
                .toList());
    }

    /// Publishes users' metrics.
    public void metrics(List<MetricValues> metrics) {
        send(metrics.stream()
                .map(values -> due(Topic.METRICS, values.job(), EventJson.write(values), CloudEvents.METRIC))
                .toList());
    }

    private Due due(Topic topic, String job, byte[] body, String type) {
        return new Due(
                new ProducerRecord<>(topic.name(kafka.prefix()), null, job, body, CloudEvents.headers(type, source)),
                () -> {});
    }

    /// Publishes copies of commands on the topics of a priority.
    public void copy(List<TopicRecord> commands, Priority priority) {
        send(commands.stream()
                .map(command -> new Due(
                        new ProducerRecord<>(
                                priority.topicOf(JobJson.read(command.body())).name(kafka.prefix()),
                                null,
                                command.key(),
                                command.body(),
                                command.entry().headers()),
                        () -> {}))
                .toList());
    }

    private void send(List<Due> all) {
        kafka.reach(() -> {
            Map<String, Topic> topics = Topic.byName(kafka.prefix());
            Set<Topic> needed = all.stream()
                    .map(due -> Objects.requireNonNull(topics.get(due.record().topic())))
                    .collect(Collectors.toSet());
            TopicAdmin.createMissing(kafka.brokers(), kafka.prefix(), needed, kafka.timeout());
            KafkaProducer<String, byte[]> producer = kafka.brokers().producer(settings());
            try {
                sendAll(producer, all);
            } finally {
                producer.close(Duration.ofSeconds(1));
            }
            return true;
        });
    }

    private void sendAll(KafkaProducer<String, byte[]> producer, List<Due> all) {
        Queue<Sent> inFlight = new ArrayDeque<>();
        for (Due due : all) {
            if (inFlight.size() >= MAX_IN_FLIGHT) {
                await(inFlight.remove());
            }
            inFlight.add(new Sent(due, producer.send(due.record())));
        }
        while (!inFlight.isEmpty()) {
            await(inFlight.remove());
        }
    }

    private Due command(JobSpec job, Priority priority, Consumer<JobSpec> acknowledged) {
        String topic = priority.topicOf(job).name(kafka.prefix());
        Tracing.Sending sending = tracing.sends(job.id(), topic);
        JobSchemaVersion.Written written = JobJson.command(job);
        RecordHeaders headers = CloudEvents.headers(CloudEvents.COMMAND, source);
        CommandHeaders.addSchemaVersion(headers, written.schemaVersion());
        String trace = sending.traceParent();
        if (trace != null) {
            headers.add(CloudEvents.TRACE_PARENT, trace.getBytes(StandardCharsets.UTF_8));
        }
        byte[] body = written.json().toString().getBytes(StandardCharsets.UTF_8);
        return new Due(new ProducerRecord<>(topic, null, job.id(), body, headers), () -> {
            sending.acknowledged();
            acknowledged.accept(job);
        });
    }

    private void await(Sent sent) {
        try {
            sent.answer().get(2 * kafka.timeout().toMillis(), TimeUnit.MILLISECONDS);
            sent.due().acknowledged().run();
        } catch (ExecutionException e) {
            if (e.getCause()
                    instanceof ClusterAuthorizationException) { // a producer without write permission reports this
                throw new KafkaUnreachableException(
                        kafka.brokers(),
                        new TopicAuthorizationException(
                                Set.of(sent.due().record().topic())));
            }
            if (e.getCause() instanceof RetriableException
                    || e.getCause() instanceof AuthenticationException
                    || e.getCause() instanceof AuthorizationException) {
                throw new KafkaUnreachableException(kafka.brokers(), e.getCause());
            }
            throw new KafkaException(
                    "Kafka refuses the record of job %s: %s"
                            .formatted(sent.due().record().key(), e.getCause()),
                    e);
        } catch (TimeoutException e) {
            throw new KafkaUnreachableException(kafka.brokers(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaUnreachableException(kafka.brokers(), e);
        }
    }

    private Map<String, Object> settings() {
        int millis = Math.toIntExact(kafka.timeout().toMillis());
        return Map.ofEntries(
                entry(ProducerConfig.CLIENT_ID_CONFIG, "trainyard" + source.replace('/', '-')),
                entry(ProducerConfig.ACKS_CONFIG, "all"),
                // On a new topic, a broker may refuse the first request and accept the second. It then refuses
                // the retry of the first one as out of order, forever. A limit of one avoids this.
                entry(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1),
                entry(ProducerConfig.MAX_BLOCK_MS_CONFIG, millis),
                entry(ProducerConfig.LINGER_MS_CONFIG, 0),
                entry(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, millis / 2),
                entry(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, millis),
                entry(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 2 * JobJson.MAX_BYTES));
    }
}
