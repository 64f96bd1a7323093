package io.trainyard.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/// An idempotent producer of a [SimProcess]. Each topic has one request in flight, which is repeated until it
/// is answered and appended once. Records sent meanwhile share the next request. A separate thread of the
/// process completes the futures.
final class SimOutbox implements Outbox {
    static final Duration REQUEST_TIMEOUT = Duration.ofMillis(Long.parseLong(
            String.valueOf(ChannelOutbox.producerSettings().get(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG))));

    private static final Duration RETRY_BACKOFF = Duration.ofMillis(500);

    /// The most records per request.
    private static final int MAX_BATCH = 100;

    private record Sent(ProducerRecord<byte @Nullable [], byte @Nullable []> record, CompletableFuture<Void> done) {}

    private final SimKafka kafka;
    private final SimProcess process;
    private Duration requestTimeout = REQUEST_TIMEOUT; // an unanswered request is repeated after this time
    private final Map<String, Lane> lanes = new HashMap<>(); // used for lookups only, never iterated
    private long lastMillis;

    SimOutbox(SimKafka kafka, SimProcess process) {
        this.kafka = kafka;
        this.process = process;
    }

    SimOutbox requestTimeout(Duration time) {
        requestTimeout = time;
        return this;
    }

    @Override
    public CompletableFuture<Void> send(String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        lastMillis = ChannelOutbox.following(lastMillis, process.millis());
        Sent sent =
                new Sent(new ProducerRecord<>(topic, null, lastMillis, key, value, headers), new CompletableFuture<>());
        lanes.computeIfAbsent(topic, _ -> new Lane()).add(sent);
        return sent.done();
    }

    private final class Lane {
        private final Queue<Sent> queue = new ArrayDeque<>();
        private List<Sent> request = List.of(); // empty if none is in flight
        private boolean appended;
        private int connection = process.connections();

        void add(Sent sent) {
            queue.add(sent);
            if (request.isEmpty()) {
                next();
            }
        }

        private void next() {
            List<Sent> batch = new ArrayList<>();
            while (batch.size() < MAX_BATCH && !queue.isEmpty()) {
                batch.add(queue.remove());
            }
            request = batch;
            appended = false;
            if (!batch.isEmpty()) {
                transmit();
            }
        }

        /// A request that has been sent arrives even if its process crashes.
        private void transmit() {
            SimTimer _ = kafka.world().after(kafka.delay(), this::arrive);
        }

        private void arrive() {
            if (!kafka.isUp()) {
                process.after(RETRY_BACKOFF, this::retry);
                return;
            }
            boolean lost = kafka.happens(kafka.weather().lost());
            boolean black = connection != process.connections() || !process.canWrite();
            if (black || (lost && kafka.any(2) == 0)) { // the request is lost, or else its answer
                process.after(requestTimeout, this::retry);
                return;
            }
            if (!kafka.isWritable(request.getFirst().record().topic())) {
                process.after(RETRY_BACKOFF, this::retry);
                return;
            }
            if (request.stream().anyMatch(sent -> kafka.refuses(sent.record()))) {
                process.after(kafka.delay(), () -> end(new InvalidTimestampException("too far ahead")));
                return;
            }
            if (!appended) {
                appended = true;
                request.forEach(sent -> kafka.publish(sent.record()));
            }
            if (lost || !process.canRead()) {
                process.after(requestTimeout, this::retry);
            } else {
                process.after(kafka.delay(), () -> end(null));
            }
        }

        private void retry() {
            connection = process.connections();
            transmit();
        }

        private void end(@Nullable Exception problem) {
            List<Sent> ended = request;
            process.post(() -> {
                for (Sent sent : ended) {
                    if (problem == null) {
                        sent.done().complete(null);
                    } else {
                        sent.done().completeExceptionally(problem);
                    }
                }
            });
            next();
        }
    }
}
