package io.trainyard.worker;

import io.trainyard.custody.Deferrals.Deferral;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/// The commands of a queue, and before them those that older workers have left to this one. Several may take one of
/// these at a time: the store decides, as it does for copies.
final class DeferredQueue implements CommandQueue {
    private final CommandQueue queue;
    private final Surroundings around;

    /// Where on `custody` those were that this worker has dealt with: it may not have read yet that they are gone.
    private final Map<String, Long> dealtWith = new HashMap<>();

    private @Nullable Deferral<Deferred> held;

    DeferredQueue(CommandQueue queue, Surroundings around) {
        this.queue = queue;
        this.around = around;
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> next() {
        Map<String, Deferral<Deferred>> waiting = around.fleet().deferred();
        dealtWith.keySet().retainAll(waiting.keySet());
        held = waiting.values().stream()
                .filter(one -> one.command().offset() > dealtWith.getOrDefault(one.key(), -1L))
                .filter(one -> around.rules().routes().urgency(topic(one)).isPresent())
                .reduce((first, other) -> urgency(other) < urgency(first) ? other : first)
                .orElse(null);
        return held == null ? queue.next() : Optional.of(held.command().command());
    }

    private int urgency(Deferral<Deferred> deferral) {
        return around.rules().routes().urgency(topic(deferral)).orElse(Integer.MAX_VALUE);
    }

    private static String topic(Deferral<Deferred> deferral) {
        return deferral.command().command().topic();
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> stray() {
        return queue.stray();
    }

    @Override
    public boolean accept() {
        Deferral<Deferred> now = held;
        if (now == null) {
            return queue.accept();
        }
        held = null;
        KillPoint.ACCEPTING.reach();
        try {
            var _ = around.host()
                    .await(
                            around.publisher().endDeferral(now.key()),
                            around.rules().claimTimeout());
            dealtWith.put(now.key(), now.command().offset());
            return true;
        } catch (ExecutionException | TimeoutException _) {
            return false;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        queue.close();
    }
}
