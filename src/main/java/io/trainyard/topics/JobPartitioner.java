package io.trainyard.topics;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.utils.Utils;

/// Chooses the partition by the job id in the key, with Kafka's hash of a key. All records of a job stay in
/// order even if their keys differ.
public final class JobPartitioner implements Partitioner {
    @Override
    public int partition(String topic, Object key, byte[] keyBytes, Object value, byte[] valueBytes, Cluster cluster) {
        int partitions = cluster.partitionsForTopic(topic).size();
        return keyBytes == null ? ThreadLocalRandom.current().nextInt(partitions) : partition(keyBytes, partitions);
    }

    static int partition(byte[] key, int partitions) {
        String job = RecordKey.job(new String(key, StandardCharsets.ISO_8859_1)); // keys may be any bytes
        return Utils.toPositive(Utils.murmur2(job.getBytes(StandardCharsets.ISO_8859_1))) % partitions;
    }

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> configs) {}
}
