package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.topics.ForwardedHeaders;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Workers with a CPU, a GPU or both, on a real broker.
@Slow
class RoutingTest {
    private static final Set<String> CPU = Set.of("cpu");
    private static final Set<String> CUDA = Set.of("cuda");
    private static final Set<String> BOTH = Set.of("cpu", "cuda");

    private final Fleet fleet = new Fleet();

    @AfterEach
    void close() {
        fleet.close();
    }

    @Test
    void aJobForAMissingDeviceKindWaits() {
        start("c", CPU);
        submit(Topic.COMMANDS_NORMAL, "for-cuda", "cuda:1");
        submit(Topic.COMMANDS_NORMAL, "for-anyone", "auto");
        assertThat(fleet.eventsUntilFinished(1)).extracting(TrainingEvent::job).containsOnly("for-anyone");
        assertThat(keys(Topic.CUDA_COMMANDS_NORMAL, 1)).containsExactly("for-cuda");

        start("g", CUDA);
        assertThat(claims(2)).containsExactly(Map.entry("for-anyone", "c"), Map.entry("for-cuda", "g"));
        assertThat(keys(Topic.CUDA_COMMANDS_NORMAL, 1)).as("passed on once").hasSize(1);
    }

    @Test
    void aCommandIsForwardedUnchanged() throws Exception {
        byte[] body = job("a", "cuda");
        RecordHeaders headers = new RecordHeaders();
        headers.add("traceparent", "00-1-2-3".getBytes(StandardCharsets.UTF_8));
        headers.add("mine", new byte[] {1, 2});
        headers.add(ForwardedHeaders.BY, "somebody before".getBytes(StandardCharsets.UTF_8));
        var _ = Patience.get(fleet.outbox.send(Topic.COMMANDS_LOW.name(fleet.prefix), null, body, headers));
        start("c", CPU);

        ConsumerRecord<byte[], byte[]> passed =
                fleet.read(Topic.CUDA_COMMANDS_LOW, read -> !read.isEmpty()).getFirst();
        assertThat(passed.key()).isNull();
        assertThat(passed.value()).isEqualTo(body);
        Map<String, byte[]> found = new HashMap<>();
        for (Header header : passed.headers()) {
            assertThat(found.put(header.key(), header.value())).as(header.key()).isNull();
        }
        assertThat(found).containsOnlyKeys("traceparent", "mine", ForwardedHeaders.BY, ForwardedHeaders.FROM);
        assertThat(found.get("mine")).containsExactly(1, 2);
        assertThat(Fleet.header(passed, ForwardedHeaders.BY)).isEqualTo("c");
        assertThat(Fleet.header(passed, ForwardedHeaders.FROM)).isEqualTo(Topic.COMMANDS_LOW.name(fleet.prefix));
    }

    @Test
    void commandsReachTheirDeviceKindWithoutCycles() {
        submit(Topic.CUDA_COMMANDS_HIGH, "cpu-on-cuda", "cpu");
        submit(Topic.CPU_COMMANDS_HIGH, "cuda-on-cpu", "cuda:0");
        submit(Topic.COMMANDS_HIGH, "cpu-on-common", "cpu");
        submit(Topic.COMMANDS_HIGH, "cuda-on-common", "cuda");
        submit(Topic.CPU_COMMANDS_HIGH, "auto-on-cpu", "auto");
        submit(Topic.CUDA_COMMANDS_HIGH, "reference-on-cuda", "reference");
        start("c", CPU);
        start("g", CUDA);
        Map<String, String> claims = claims(6);
        assertThat(claims)
                .containsEntry("cpu-on-cuda", "c")
                .containsEntry("cuda-on-cpu", "g")
                .containsEntry("cpu-on-common", "c")
                .containsEntry("cuda-on-common", "g")
                .as("whoever looks there may run it")
                .containsEntry("auto-on-cpu", "c")
                .containsEntry("reference-on-cuda", "g");
        // At most one of the two is forwarded from the common topic; a worker of its own kind may claim the
        // other there.
        assertThat(keys(Topic.CPU_COMMANDS_HIGH, 3)).contains("cpu-on-cuda").doesNotHaveDuplicates();
        assertThat(keys(Topic.CUDA_COMMANDS_HIGH, 3)).contains("cuda-on-cpu").doesNotHaveDuplicates();
        assertThat(keys(Topic.COMMANDS_HIGH, 2)).hasSize(2);
    }

    @Test
    void higherPrioritiesComeFirstForAllDeviceKinds() {
        submit(Topic.COMMANDS_LOW, "low", "auto");
        submit(Topic.CUDA_COMMANDS_LOW, "low-cuda", "cuda");
        submit(Topic.COMMANDS_NORMAL, "normal", "auto");
        submit(Topic.CPU_COMMANDS_NORMAL, "normal-cpu", "cpu");
        submit(Topic.CUDA_COMMANDS_HIGH, "high-cuda", "cuda");
        submit(Topic.COMMANDS_HIGH, "high", "auto");
        start("b", BOTH);
        assertThat(claims(6).keySet().stream().map(job -> job.replaceAll("-.*", "")))
                .containsExactly("high", "high", "normal", "normal", "low", "low");
    }

    /// With equal priority, neither topic waits for the other to be empty.
    @Test
    void topicsOfOnePriorityAlternate() {
        for (int i = 0; i < 4; i++) {
            submit(Topic.COMMANDS_NORMAL, "common-" + i, "auto");
            submit(Topic.CPU_COMMANDS_NORMAL, "cpu-" + i, "cpu");
        }
        start("c", CPU);
        List<String> kinds = claims(8).keySet().stream()
                .map(job -> job.replaceAll("-.*", ""))
                .toList();
        // If the brokers are slow to answer for one topic, the other one may be served several times in a row.
        assertThat(IntStream.range(1, kinds.size()).filter(i -> !kinds.get(i).equals(kinds.get(i - 1))))
                .as("turns of %s", kinds)
                .hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void aFailedForwardingIsRetried() {
        AtomicInteger refused = new AtomicInteger();
        AtomicBoolean away = new AtomicBoolean(true);
        String there = Topic.CUDA_COMMANDS_NORMAL.name(fleet.prefix);
        Outbox outbox = (topic, key, value, headers) -> {
            if (topic.equals(there) && away.get()) {
                away.set(refused.incrementAndGet() < 2);
                return CompletableFuture.failedFuture(new IllegalStateException("the topic is away"));
            }
            return fleet.outbox.send(topic, key, value, headers);
        };
        try (FleetWorker worker = fleet.start(new FleetWorker.Setup("c", CPU, outbox), fleet.runner("c"))) {
            assertThat(worker.claims.ended()).isNotDone();
            submit(Topic.COMMANDS_NORMAL, "a", "cuda");
            assertThat(keys(Topic.CUDA_COMMANDS_NORMAL, 1)).containsExactly("a");
        }
        assertThat(refused).hasValue(2);
    }

    private void start(String worker, Set<String> kinds) {
        var _ = fleet.start(worker, kinds, fleet.runner(worker));
    }

    private void submit(Topic topic, String id, String device) {
        fleet.submit(topic, id, job(id, device));
    }

    private static byte[] job(String id, String device) {
        return Fleet.job(id)
                .replace("}", ", \"device\": \"%s\"}".formatted(device))
                .getBytes(StandardCharsets.UTF_8);
    }

    /// Waits until `jobs` jobs have finished, and returns the worker that claimed each, in order of claims.
    private Map<String, String> claims(int jobs) {
        Map<String, String> claims = new LinkedHashMap<>();
        for (TrainingEvent event : fleet.eventsUntilFinished(jobs)) {
            if (event instanceof Claimed claimed) {
                assertThat(claims.put(claimed.job(), claimed.worker()))
                        .as("job %s, claimed before", claimed.job())
                        .isNull();
            }
        }
        return claims;
    }

    /// The jobs of the first `count` commands on a topic, without copies that a busy worker released to its own
    /// topic.
    private List<String> keys(Topic topic, int count) {
        return came(fleet.read(topic, read -> came(read).size() >= count));
    }

    private static List<String> came(List<ConsumerRecord<byte[], byte[]>> commands) {
        return commands.stream()
                .map(command -> List.of(
                        new String(command.key(), StandardCharsets.UTF_8),
                        Fleet.header(command, ForwardedHeaders.FROM)))
                .distinct()
                .map(List::getFirst)
                .toList();
    }
}
