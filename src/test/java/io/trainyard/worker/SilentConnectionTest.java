package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.faults.DroppingProxy.Fate;
import io.trainyard.faults.LossyBroker;
import io.trainyard.topics.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A connection without answers, as behind a firewall that has dropped its state.
@Slow
class SilentConnectionTest {
    private static final Duration BEAT = Duration.ofSeconds(2);
    private static final int LOST_AFTER_HEARTBEATS = 8;

    /// Enough heartbeats arrive that no other worker takes the jobs.
    @Test
    void heartbeatsContinueOverAnotherConnection(@TempDir Path folder) throws Exception {
        AtomicBoolean silence = new AtomicBoolean();
        try (LossyBroker broker = new LossyBroker(
                        folder,
                        request -> request.api() == ApiKeys.PRODUCE && silence.compareAndSet(true, false)
                                ? Fate.HANGS
                                : Fate.ARRIVES);
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings(broker.lossyAddress()))) {
            Outbox outbox = (topic, key, value, headers) -> {
                CompletableFuture<Void> sent = new CompletableFuture<>();
                var _ = producer.send(new ProducerRecord<>(topic, null, key, value, headers), (_, problem) -> {
                    if (problem == null) {
                        sent.completeAsync(() -> null);
                    } else {
                        sent.completeExceptionally(problem);
                    }
                });
                return sent;
            };
            String topic = Topic.WORKERS.name(Topic.DEFAULT_PREFIX);
            var _ = Patience.get(outbox.send(topic, new byte[] {1}, new byte[0], new RecordHeaders()));
            silence.set(true);
            long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            List<Long> acknowledged = new ArrayList<>(List.of(System.nanoTime()));
            while (System.nanoTime() < end) {
                var _ = Patience.get(outbox.send(topic, new byte[] {1}, new byte[0], new RecordHeaders()));
                acknowledged.add(System.nanoTime());
                Thread.sleep(BEAT.toMillis());
            }
            long longest = 0;
            for (int i = 1; i < acknowledged.size(); i++) {
                longest = Math.max(longest, acknowledged.get(i) - acknowledged.get(i - 1));
            }
            assertThat(silence).as("the connection fell silent").isFalse();
            assertThat(Duration.ofNanos(longest)).isLessThan(BEAT.multipliedBy(LOST_AFTER_HEARTBEATS / 2));
        }
    }

    private static Map<String, Object> settings(String address) {
        Map<String, Object> settings = new HashMap<>(ChannelOutbox.producerSettings());
        settings.put("bootstrap.servers", address);
        return settings;
    }
}
