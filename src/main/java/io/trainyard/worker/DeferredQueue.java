package io.trainyard.worker;

import io.trainyard.ownership.DeferredByVersion.Deferral;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The commands of a queue, preceded by those that older workers deferred to this one.
final class DeferredQueue extends QueueWithDeferred {
    DeferredQueue(CommandQueue queue, WorkerContext context) {
        super(queue, context);
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> next() {
        Map<String, Deferral<DeferredRecord>> waiting = context.fleet().deferred();
        held.keep(waiting.keySet());
        var _ = held.release();
        Optional<Deferral<DeferredRecord>> next = waiting.values().stream()
                .filter(one -> !held.isDealtWith(one.key(), one.command().offset()))
                .filter(one ->
                        context.rules().routes().priorityIndex(topic(one)).isPresent())
                .reduce((first, other) -> priorityIndex(other) < priorityIndex(first) ? other : first);
        if (next.isEmpty()) {
            return queue.next();
        }
        held.hold(next.get().key(), next.get().command().offset());
        return Optional.of(next.get().command().command());
    }

    private int priorityIndex(Deferral<DeferredRecord> deferral) {
        return context.rules().routes().priorityIndex(topic(deferral)).orElse(Integer.MAX_VALUE);
    }

    private static String topic(Deferral<DeferredRecord> deferral) {
        return deferral.command().command().topic();
    }
}
