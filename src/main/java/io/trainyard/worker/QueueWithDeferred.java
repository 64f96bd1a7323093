package io.trainyard.worker;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// A queue and the deferred commands. Subclasses choose the next command. While a deferred command is held, the
/// queue is not used.
abstract class QueueWithDeferred implements CommandQueue {
    final CommandQueue queue;
    final WorkerContext context;
    final DeferredCommand held;

    QueueWithDeferred(CommandQueue queue, WorkerContext context) {
        this.queue = queue;
        this.context = context;
        this.held = new DeferredCommand(context);
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> prefetched() {
        var _ = held.release(); // the prefetched command is accepted next
        return queue.prefetched();
    }

    @Override
    public boolean accept() {
        return held.isHeld() ? held.accept() : queue.accept();
    }

    @Override
    public boolean renew() {
        return held.isHeld() || queue.renew();
    }

    @Override
    public int deliveries() {
        return held.isHeld() ? 0 : queue.deliveries();
    }

    @Override
    public void close() {
        queue.close();
    }
}
