package io.trainyard.worker;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.trainyard.topics.CommandHeaders;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/// Random invalid commands from a seed: mutated commands and meaningless bytes.
final class CommandFuzz {
    private static final List<String> JOBS = List.of(Fleet.job("ID"), """
            {"id": "ID", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 6}]}, "dataset": "shapes64",
             "epochs": 3, "batchSize": 32, "shuffle": true, "seed": 7, "keepLast": 2}""", """
            {"id": "ID", "network": "signs", "dataset": {"name": "shapes64", "normalize": {"mean": [0, 0, 0], "std": [1, 1, 1]}},
             "epochs": 10, "optimizer": {"type": "adam", "learningRate": 0.001}, "schedule": {"type": "cosine"}}""", """
            {"id": "ID", "kind": "evaluate", "initFrom": "other/12", "network": "lenet", "dataset": "shapes32"}""");

    /// Replacements for a value.
    private static final List<String> ODD = List.of(
            "null",
            "true",
            "-1",
            "0",
            "2147483648",
            "9223372036854775808",
            "1e999",
            "NaN",
            "1.5",
            "\"\"",
            "\"\\ud800\"",
            "\"\\u0000\"",
            "[]",
            "{}",
            "[[1,2],[3]]",
            "\"../../etc/passwd\"",
            "\"" + "x".repeat(5000) + "\"",
            "9".repeat(5000),
            "[".repeat(600) + "]".repeat(600),
            "{\"x\":".repeat(600) + "1" + "}".repeat(600),
            "{\"type\": \"sgd\"}",
            "\"lenet\"",
            "\"shapes32\"",
            "1");

    private final Random random;

    CommandFuzz(long seed) {
        this.random = new Random(seed);
    }

    ProducerRecord<byte[], byte[]> next(String topic, int number) {
        // Some ids repeat, some with another job's spec.
        String id = "fuzz-" + (random.nextInt(10) == 0 ? random.nextInt(number + 1) : number);
        return new ProducerRecord<>(topic, null, key(id), body(any(JOBS).replace("ID", id)), headers());
    }

    private byte @Nullable [] key(String id) {
        return switch (random.nextInt(10)) {
            case 0 -> null;
            case 1 -> bytes(random.nextInt(50));
            case 2 -> bytes(random.nextInt(100_000));
            default -> id.getBytes(UTF_8);
        };
    }

    private byte @Nullable [] body(String job) {
        return switch (random.nextInt(14)) {
            case 0 -> null;
            case 1 -> bytes(random.nextInt(300));
            case 2 -> bytes(random.nextInt(300_000));
            case 3 -> job.getBytes(random.nextBoolean() ? UTF_16 : ISO_8859_1);
            case 4 -> ("\ufeff" + job).getBytes(UTF_8);
            case 5 -> Arrays.copyOf(job.getBytes(UTF_8), random.nextInt(job.length()));
            case 6 -> flipped(job.getBytes(UTF_8));
            case 7 -> (job + " ".repeat(random.nextInt(400_000))).getBytes(UTF_8);
            case 8 -> (job + job).getBytes(UTF_8);
            case 9 ->
                job.replaceFirst("\\{", "{\"" + Long.toHexString(random.nextLong()) + "\": 1, ")
                        .getBytes(UTF_8);
            case 10 -> job.replaceFirst("\\{", "{\"id\": \"twice\", ").getBytes(UTF_8);
            case 11, 12 -> withOddValue(withOddValue(job)).getBytes(UTF_8);
            default -> job.getBytes(UTF_8);
        };
    }

    private byte[] flipped(byte[] body) {
        for (int i = random.nextInt(4); i >= 0; i--) {
            body[random.nextInt(body.length)] = (byte) random.nextInt();
        }
        return body;
    }

    /// Replaces the value of a field.
    private String withOddValue(String job) {
        int colon = job.indexOf(':', random.nextInt(job.length()));
        int end = job.indexOf(',', Math.max(0, colon));
        return colon < 0 || end < 0 ? job : job.substring(0, colon + 1) + any(ODD) + job.substring(end);
    }

    private RecordHeaders headers() {
        RecordHeaders headers = new RecordHeaders();
        int count = random.nextInt(8) == 0 ? random.nextInt(100) : random.nextInt(3);
        for (int i = 0; i < count; i++) {
            String name = any(List.of(
                    "ce_id",
                    "ce_type",
                    "ce_source",
                    "ce_time",
                    "ce_specversion",
                    "content-type",
                    "traceparent",
                    "forwarded-by",
                    CommandHeaders.ATTEMPT,
                    CommandHeaders.STORE,
                    CommandHeaders.REFUSALS,
                    "x".repeat(random.nextInt(300))));
            headers.add(name, value(count > 3 ? 1_000 : 40_000));
        }
        return headers;
    }

    private byte @Nullable [] value(int longest) {
        return switch (random.nextInt(6)) {
            case 0 -> null;
            case 1, 2 -> bytes(random.nextInt(longest));
            case 3 -> "1".getBytes(UTF_8);
            case 4 ->
                any(List.of("[{\"worker\": \"w\", \"reason\": \"none\"}]", "[null]", "[{}]"))
                        .getBytes(UTF_8);
            default -> bytes(random.nextInt(60));
        };
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }
}
