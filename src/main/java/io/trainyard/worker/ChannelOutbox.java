package io.trainyard.worker;

import static java.util.Map.entry;

import io.smallrye.common.annotation.Identifier;
import io.smallrye.reactive.messaging.ClientCustomizer;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.Record;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import io.trainyard.topics.JobPartitioner;
import io.trainyard.topics.Topic;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.Metadata;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;
import org.jspecify.annotations.Nullable;

/// The channels for all records of a worker; each record names its topic. The callers limit the records in
/// flight ([JobEvents#MAX_IN_FLIGHT], one heartbeat, one command), so the channels have no limit.
///
/// Heartbeats have their own channel. A producer blocks on a record for a missing topic until that topic
/// exists, and without its heartbeats the worker would look dead.
///
/// A record that the brokers refuse fails at once, for example if the worker may not write.
/// SmallRye would send it again up to 20 s later, after newer records, and never report the reason. Therefore
/// the channels have `retries=0`, and the producer retries by itself.
@ApplicationScoped
class ChannelOutbox implements Outbox {
    /// Records are retried until the brokers are back.
    private static final int FOR_EVER = Integer.MAX_VALUE;

    /// A request without an answer fails after this time; the client closes the connection and retries over a
    /// new one. The last heartbeat that arrived is at most 2 s older. So the next one arrives about 6 s later,
    /// well within the 16 s after which other workers take the jobs.
    private static final int REQUEST_TIMEOUT_MILLIS = 4_000;

    private static final int CONNECTION_TIMEOUT_MILLIS = 2_000;

    /// The longest pause before the next connection attempt. SmallRye's default is 10 s.
    private static final int RECONNECT_MILLIS = 1_000;

    /// With more, the first records to a topic that was just created were sometimes lost until the delivery
    /// timeout: the leader refuses the first request, accepts the second, and then finds the retry of the first
    /// one out of order.
    private static final int REQUESTS_IN_FLIGHT = 1;

    /// Between two jobs a worker waits for three acknowledgements in sequence. Records that arrive while a
    /// request is in flight still share the next request.
    private static final int LINGER_MILLIS = 0;

    /// Compressed, such a request fits into one record of the topic's size.
    private static final int MAX_UNCOMPRESSED_BYTES = 4 * Topic.MAX_RECORD_BYTES;

    /// How far timestamps may run ahead of the clock; no burst of records needs more.
    private static final long MAX_LEAD_MILLIS = 60_000;

    /// Restores the producers' retries, which their channels disable.
    @ApplicationScoped
    static class ProducerRetries implements ClientCustomizer<Map<String, Object>> {
        @Override
        public Map<String, Object> customize(String channel, Config channelConfig, Map<String, Object> producer) {
            producer.put(ProducerConfig.RETRIES_CONFIG, Integer.toString(FOR_EVER));
            return producer;
        }
    }

    private final String heartbeatTopic;
    private final MutinyEmitter<Record<byte[], byte[]>> heartbeats;
    private final MutinyEmitter<Record<byte[], byte[]>> others;
    private final AtomicLong lastMillis = new AtomicLong();

    @Inject
    ChannelOutbox(
            WorkerSettings settings,
            @Channel("heartbeats") @OnOverflow(OnOverflow.Strategy.UNBOUNDED_BUFFER)
                    MutinyEmitter<Record<byte[], byte[]>> heartbeats,
            @Channel("worker") @OnOverflow(OnOverflow.Strategy.UNBOUNDED_BUFFER)
                    MutinyEmitter<Record<byte[], byte[]>> others) {
        this.heartbeatTopic = Topic.WORKERS.name(settings.topics().prefix());
        this.heartbeats = heartbeats;
        this.others = others;
    }

    /// Settings of both producers. SmallRye silently ignores a `Long`.
    @Produces
    @Identifier("worker")
    static Map<String, Object> producerSettings() {
        return Map.ofEntries(
                entry(ProducerConfig.ACKS_CONFIG, "all"),
                entry(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true),
                entry(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, REQUESTS_IN_FLIGHT),
                entry(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4"),
                entry(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_UNCOMPRESSED_BYTES),
                entry(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, FOR_EVER),
                entry(ProducerConfig.MAX_BLOCK_MS_CONFIG, FOR_EVER),
                entry(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MILLIS),
                entry(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_MILLIS),
                entry(ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, CONNECTION_TIMEOUT_MILLIS),
                entry(ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, 2 * CONNECTION_TIMEOUT_MILLIS),
                entry(ProducerConfig.LINGER_MS_CONFIG, LINGER_MILLIS),
                entry(ProducerConfig.PARTITIONER_CLASS_CONFIG, JobPartitioner.class.getName()),
                entry(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName()),
                entry(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName()));
    }

    @Override
    public CompletableFuture<Void> send(String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        var record = OutgoingKafkaRecordMetadata.builder()
                .withTopic(topic)
                .withHeaders(headers)
                .withTimestamp(nextTimestamp())
                .build();
        MutinyEmitter<Record<byte[], byte[]>> channel = topic.equals(heartbeatTopic) ? heartbeats : others;
        channel.sendMessageAndForget(Message.of(
                Record.of(key, value), // the payload of a message must not be null, the value of a record may
                Metadata.of(record),
                () -> {
                    sent.complete(null);
                    return CompletableFuture.completedFuture(null);
                },
                problem -> {
                    // SmallRye's own exception only says that it gave up.
                    sent.completeExceptionally(problem.getCause() instanceof KafkaException kafka ? kafka : problem);
                    return CompletableFuture.completedFuture(null);
                }));
        return sent;
    }

    /// Readers merge topics by timestamp. Two channels that read the clock themselves could reuse a
    /// millisecond, so the time comes from here and strictly increases.
    private Instant nextTimestamp() {
        return Instant.ofEpochMilli(lastMillis.accumulateAndGet(System.currentTimeMillis(), ChannelOutbox::following));
    }

    /// If the clock was ahead and is correct again, timestamps follow it at once: brokers refuse timestamps far
    /// in the future.
    static long following(long last, long now) {
        return last - now > MAX_LEAD_MILLIS ? now : Math.max(last + 1, now);
    }
}
