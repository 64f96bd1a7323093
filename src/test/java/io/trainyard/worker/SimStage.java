package io.trainyard.worker;

import io.trainyard.ownership.ClaimPriorities;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

final class SimStage implements SimConformanceTest.Stage {
    private static final String TOPIC = "commands";

    private final SimProcess process;
    private final SimKafka kafka;
    private final SimQueue[] members = new SimQueue[2];
    private final Duration lock;

    SimStage(SimWorld world, SimProcess process, Duration lock) {
        this.process = process;
        this.lock = lock;
        kafka = new SimKafka(world, "", new SimShareGroup.Limits(lock, 10, 2000));
        open(0);
        open(1);
    }

    private void open(int member) {
        members[member] = new SimQueue(kafka, process, List.of(List.of(TOPIC)), new ClaimPriorities());
        process.sleep(SimQueue.JOIN);
    }

    @Override
    public void publish(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        kafka.publish(new ProducerRecord<>(TOPIC, bytes, bytes));
    }

    @Override
    public String next(int member) {
        Optional<ConsumerRecord<byte[], byte[]>> next = members[member].next();
        return next.map(SimStage::text).orElse("");
    }

    static String text(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.value(), StandardCharsets.UTF_8)
                + " #"
                + record.deliveryCount().orElse((short) 0);
    }

    @Override
    public boolean accept(int member) {
        return members[member].accept();
    }

    @Override
    public void lapse() {
        process.sleep(lock.plusMinutes(1));
    }

    @Override
    public void settle() {
        process.sleep(Duration.ofMillis(100));
    }

    @Override
    public void restart() {
        kafka.stop();
        process.sleep(Duration.ofSeconds(5));
        kafka.start();
    }

    @Override
    public void reopen(int member) {
        members[member].close();
        open(member);
    }

    @Override
    public void close() {
        members[0].close();
        members[1].close();
    }
}
