package io.trainyard.worker;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// Forwards to another queue; subclasses override parts of it.
class SimQueueSeam implements CommandQueue {
    private final CommandQueue real;

    SimQueueSeam(CommandQueue real) {
        this.real = real;
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> next() {
        return real.next();
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> prefetched() {
        return real.prefetched();
    }

    @Override
    public boolean accept() {
        return real.accept();
    }

    @Override
    public boolean renew() {
        return real.renew();
    }

    @Override
    public int deliveries() {
        return real.deliveries();
    }

    @Override
    public void close() {
        real.close();
    }
}
