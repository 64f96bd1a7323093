package io.trainyard.worker;

import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// Forwards to another log; subclasses override parts of it.
class SimLogSeam implements FleetLog {
    private final FleetLog real;

    SimLogSeam(FleetLog real) {
        this.real = real;
    }

    @Override
    public List<ConsumerRecord<String, byte[]>> poll(Duration time) {
        return real.poll(time);
    }

    @Override
    public boolean isCaughtUp() {
        return real.isCaughtUp();
    }

    @Override
    public void hold(Topic topic, boolean held) {
        real.hold(topic, held);
    }

    @Override
    public Map<Topic, Backlog> backlog() {
        return real.backlog();
    }

    @Override
    public void close() {
        real.close();
    }
}
