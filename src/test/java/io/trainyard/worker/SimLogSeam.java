package io.trainyard.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// Forwards to another log; subclasses override parts of it.
class SimLogSeam implements FleetLog {
    private final FleetLog real;

    SimLogSeam(FleetLog real) {
        this.real = real;
    }

    /// Changes heartbeats.
    ///
    /// @param change from the worker and its heartbeat as JSON to other JSON
    static FleetLog heartbeats(FleetLog real, BinaryOperator<String> change) {
        return new SimLogSeam(real) {
            @Override
            public List<ConsumerRecord<String, byte[]>> poll(Duration time) {
                return super.poll(time).stream()
                        .map(record -> isHeartbeat(record) ? changed(record, change) : record)
                        .toList();
            }
        };
    }

    private static boolean isHeartbeat(ConsumerRecord<String, byte[]> record) {
        return record.topic().equals(Topic.WORKERS.name("")) && record.value() != null;
    }

    private static ConsumerRecord<String, byte[]> changed(
            ConsumerRecord<String, byte[]> record, BinaryOperator<String> change) {
        byte[] body =
                change.apply(record.key(), new String(record.value(), UTF_8)).getBytes(UTF_8);
        return new ConsumerRecord<>(record.topic(), record.partition(), record.offset(), record.key(), body);
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
