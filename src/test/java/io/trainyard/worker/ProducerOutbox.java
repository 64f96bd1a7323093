package io.trainyard.worker;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// An outbox on a plain producer, without Quarkus.
final class ProducerOutbox implements Outbox, AutoCloseable {
    private final KafkaProducer<byte[], byte[]> producer;

    /// Completes futures outside the producer's thread, because a callback may send to a topic without cached
    /// metadata.
    private final ExecutorService published = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("outbox").factory());

    ProducerOutbox(String kafka, int deliveryTimeoutMillis) {
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        kafka,
                        "acks",
                        "all",
                        "compression.type",
                        "lz4",
                        "max.request.size",
                        256 << 20,
                        "buffer.memory",
                        512L << 20,
                        "linger.ms",
                        0,
                        "request.timeout.ms",
                        deliveryTimeoutMillis,
                        "max.block.ms",
                        deliveryTimeoutMillis,
                        "delivery.timeout.ms",
                        deliveryTimeoutMillis),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    @Override
    public CompletableFuture<Void> send(String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        var _ = producer.send(
                new ProducerRecord<>(topic, null, key, value, headers),
                (_, problem) -> published.execute(() -> {
                    if (problem == null) {
                        sent.complete(null);
                    } else {
                        sent.completeExceptionally(problem);
                    }
                }));
        return sent;
    }

    @Override
    public void close() {
        producer.close();
        published.shutdown();
    }
}
