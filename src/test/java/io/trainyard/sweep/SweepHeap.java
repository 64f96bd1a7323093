package io.trainyard.sweep;

import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Builds all trials of a sweep near the size limit; run with a small heap.
final class SweepHeap {
    private static final int LAYERS = 1000;

    private SweepHeap() {}

    static JobSpec sweep() {
        String layers = IntStream.range(0, LAYERS)
                .mapToObj(i -> "{\"type\": \"conv2d\", \"out\": 8, \"kernel\": 3, \"padding\": 1}")
                .collect(Collectors.joining(", "));
        return JobJson.read("""
                {"id": "large", "network": {"layers": [%s]}, "dataset": "shapes32", "epochs": 1,
                 "random": 200, "sweep": {"seed": {"min": 1, "max": 100000}}}""".formatted(layers).getBytes(StandardCharsets.UTF_8));
    }

    public static void main(String[] arguments) {
        AtomicLong bytes = new AtomicLong();
        Trials.forEach(sweep(), (_, length) -> bytes.addAndGet(length));
        System.out.println("bytes " + bytes.get());
    }
}
