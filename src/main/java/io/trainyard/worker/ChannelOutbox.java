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

/// The channels that all records of a worker leave by; each record names its topic. What is on its way is bounded
/// before it comes here ([JobEvents#MAX_IN_FLIGHT], one heartbeat, one command), so the channels do not.
///
/// Heartbeats have a channel of their own: a producer stands still at a record of a topic that is not there, until
/// it is, and the worker would look dead.
///
/// A record that the brokers refuse fails at once, for example if the worker may not write to the topic. SmallRye would
/// send it again, up to 20 s later and after records that are newer, and never say why; so its `retries` are 0, and the
/// producer has its own.
@ApplicationScoped
class ChannelOutbox implements Outbox {
    /// A record that cannot get to the brokers is never given up: they will be back.
    private static final int FOR_EVER = Integer.MAX_VALUE;

    /// When a request counts as lost: the connection is closed, and the request is made again over a new one. After its
    /// last heartbeat that arrived, at the worst 2 s before, a worker whose connection gives no answers is heard
    /// again 4 s and a new connection later, well before the 16 s after which its jobs are given to others.
    private static final int REQUEST_TIMEOUT_MILLIS = 4_000;

    /// When a connection that does not come about is tried again.
    private static final long CONNECTION_TIMEOUT_MILLIS = 2_000;

    /// The longest pause before it. SmallRye's own default is 10 s.
    private static final long RECONNECT_MILLIS = 1_000;

    /// With more, the first records to a topic that was just created were now and then lost until the delivery
    /// timeout: its leader refuses the first request, takes the second, and then finds the first one's retry out
    /// of order.
    private static final int REQUESTS_IN_FLIGHT = 1;

    /// Nobody waits for company: between two jobs a worker waits for three acknowledgements, one after the other. What
    /// comes while a request is on its way goes together with the next one all the same.
    private static final int LINGER_MILLIS = 0;

    /// Compressed, it fits into a record of the topic's size.
    private static final int MAX_UNCOMPRESSED_BYTES = 4 * Topic.MAX_RECORD_BYTES;

    /// How far timestamps may run ahead of the clock: more than any burst of records needs.
    private static final long MAX_LEAD_MILLIS = 60_000;

    /// Gives the producers the retries that their channels do not have.
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

    /// The settings of both producers, under Kafka's names.
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
                entry(ProducerConfig.MAX_BLOCK_MS_CONFIG, (long) FOR_EVER),
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
                Record.of(key, value), // a payload of its own may be null
                Metadata.of(record),
                () -> {
                    sent.complete(null);
                    return CompletableFuture.completedFuture(null);
                },
                problem -> {
                    // Around it SmallRye says only that it tries no more.
                    sent.completeExceptionally(problem.getCause() instanceof KafkaException kafka ? kafka : problem);
                    return CompletableFuture.completedFuture(null);
                }));
        return sent;
    }

    /// Readers merge the topics by timestamp. Each channel has a producer with a clock reading of its own, and one
    /// millisecond has room for many records: so the time is taken here, and no two records have the same.
    private Instant nextTimestamp() {
        return Instant.ofEpochMilli(lastMillis.accumulateAndGet(System.currentTimeMillis(), ChannelOutbox::following));
    }

    /// A clock that was ahead and is right again is followed at once: brokers refuse timestamps far ahead of theirs.
    static long following(long last, long now) {
        return last - now > MAX_LEAD_MILLIS ? now : Math.max(last + 1, now);
    }
}
