import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// A client of a fleet's topics: publishes what standard input requests, and prints a line for each event with the time
/// at which it was read. `bench/rates.py` starts it as a source file, with the packaged application's libraries as class
/// path.
///
///     java -cp 'target/quarkus-app/lib/*' bench/probe/Probe.java localhost:9092 trainyard.
///
/// Standard input, separated by tabs:
///
///     send     TOPIC KEY BODY            one record
///     many     TOPIC COUNT KEY BODY      COUNT records, with their number in place of each `%d`
///     garbage  MEGABYTES SEED TOPIC...   random records of all sizes, in turn on each topic
///
/// All times are microseconds since 1970.
final class Probe {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_RECORD_BYTES = 2 << 20;
    private static final int MAX_BATCH_BYTES = 1 << 20; // of topics with the brokers' default
    private static final List<String> TOPICS =
            List.of("jobs", "steps", "accuracy", "checkpoints", "ownership", "dead-letter");

    private final PrintStream out;
    private final KafkaProducer<byte[], byte[]> producer;
    private final String prefix;

    private Probe(String kafka, String prefix) {
        this.out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        this.prefix = prefix;
        this.producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", kafka,
                        "acks", "all",
                        "linger.ms", 0,
                        "max.request.size", MAX_RECORD_BYTES),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    public static void main(String[] arguments) throws Exception {
        Probe probe = new Probe(arguments[0], arguments[1]);
        Thread.ofPlatform().daemon().start(() -> probe.listen(arguments[0]));
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            probe.obey(line.split("\t"));
        }
    }

    private void obey(String[] order) throws Exception {
        switch (order[0]) {
            case "send" -> many(order[1], 1, order[2], order[3]);
            case "many" -> many(order[1], Integer.parseInt(order[2]), order[3], order[4]);
            case "garbage" -> garbage(Long.parseLong(order[1]) * 1_000_000, Long.parseLong(order[2]),
                    List.of(order).subList(3, order.length));
            default -> throw new IllegalArgumentException("no such order: " + order[0]);
        }
    }

    private void many(String topic, int count, String key, String body) {
        long begin = micros();
        for (int i = 0; i < count; i++) {
            String number = Integer.toString(i);
            var _ = producer.send(new ProducerRecord<>(
                    prefix + topic,
                    bytes(key.replace("%d", number)),
                    bytes(body.replace("%d", number))));
        }
        producer.flush();
        say(JSON.createObjectNode().put("sent", count).put("key", key).put("begin", begin).put("end", micros()));
    }

    /// Half random bytes, half beginnings of JSON; most records are small, some have the topic's maximum size.
    private void garbage(long bytes, long seed, List<String> topics) {
        Random random = new Random(seed);
        long begin = micros();
        long sent = 0;
        long records = 0;
        while (sent < bytes) {
            String topic = topics.get((int) (records % topics.size()));
            byte[] body = body(random, largest(topic));
            byte[] key = new byte[random.nextInt(60)];
            random.nextBytes(key);
            var _ = producer.send(new ProducerRecord<>(prefix + topic, key, body), (_, problem) -> {
                if (problem != null) {
                    say(JSON.createObjectNode().put("refused", problem.toString()));
                }
            });
            sent += body.length;
            records++;
        }
        producer.flush();
        say(JSON.createObjectNode().put("garbage", sent).put("records", records).put("begin", begin)
                .put("end", micros()));
    }

    private static int largest(String topic) {
        int most = topic.startsWith("commands") || topic.equals("jobs") ? MAX_RECORD_BYTES : MAX_BATCH_BYTES;
        return most - 1000; // the record around it
    }

    private static byte[] body(Random random, int largest) {
        int size = (int) Math.pow(largest, random.nextDouble()); // uniform orders of magnitude
        size = random.nextInt(200) == 0 ? largest : size;
        byte[] body = new byte[size];
        if (random.nextBoolean()) {
            random.nextBytes(body);
        } else {
            byte[] piece = bytes(random.nextBoolean() ? "{\"job\":[" : "{\"type\":\"stepLosses\",\"losses\":[1,");
            for (int i = 0; i < size; i++) {
                body[i] = piece[i % piece.length];
            }
        }
        return body;
    }

    private void listen(String kafka) {
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (String topic : TOPICS) {
                consumer.partitionsFor(prefix + topic).forEach(partition ->
                        partitions.add(new TopicPartition(partition.topic(), partition.partition())));
            }
            consumer.assign(partitions);
            consumer.seekToEnd(partitions);
            partitions.forEach(consumer::position);
            say(JSON.createObjectNode().put("listening", partitions.size()));
            while (true) {
                for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(Duration.ofSeconds(1))) {
                    publish(entry, micros());
                }
                out.flush();
            }
        }
    }

    private void publish(ConsumerRecord<byte[], byte[]> entry, long at) {
        ObjectNode line = JSON.createObjectNode()
                .put("at", at)
                .put("topic", entry.topic().substring(prefix.length()))
                .put("stamp", entry.timestamp() * 1000);
        Header source = entry.headers().lastHeader("ce_source");
        if (source != null) {
            line.put("source", new String(source.value(), StandardCharsets.UTF_8));
        }
        if (entry.key() != null) {
            line.put("key", new String(entry.key(), StandardCharsets.UTF_8));
        }
        line.put("ends", entry.value() == null);
        if (!line.get("topic").asText().equals("dead-letter") && entry.value() != null) {
            copy(entry.value(), line);
        }
        synchronized (out) {
            out.println(line);
        }
    }

    private static void copy(byte[] body, ObjectNode line) {
        try {
            JsonNode event = JSON.readTree(body);
            for (String field : List.of("type", "job", "attempt", "firstStep", "step", "elapsedMicros", "trainMillis",
                    "testMillis", "steps", "medianStepMicros", "reason", "state")) {
                if (event.has(field)) {
                    line.set(field, event.get(field));
                }
            }
            if (event.has("losses")) {
                line.put("losses", event.get("losses").size());
            }
            if (event.has("time")) {
                line.put("time", Instant.parse(event.get("time").asText()).toEpochMilli() * 1000);
            }
        } catch (java.io.IOException | RuntimeException e) {
            line.put("unreadable", true);
        }
    }

    private void say(ObjectNode line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }

    private static long micros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
