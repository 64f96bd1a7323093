package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.Patience;
import io.trainyard.broker.EmbeddedBroker;
import io.trainyard.broker.TestBroker;
import io.trainyard.custody.ClaimOrder;
import io.trainyard.event.WorkerStatusBuilder;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What many workers ask of one broker: processor time of its threads, which other work on the machine changes little.
/// The figures of docs/scaling.md.
class ManyWorkersTest {
    private static final Duration MEASURED = Duration.ofSeconds(15);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /// Threads of Kafka's clients, and of this test.
    private static final String OTHERS =
            "(.*consumer.*|.*kafka-producer-network-thread.*|kafka-admin.*|main|worker-.*|reader-.*|beats|surefire.*|.*Finalizer.*|.*Reference.*)";

    /// Processor time of the broker's threads so far.
    private static double brokerSeconds() {
        double nanos = 0;
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && !thread.getThreadName().matches(OTHERS)) {
                nanos += Math.max(0, THREADS.getThreadCpuTime(thread.getThreadId()));
            }
        }
        return nanos / 1e9;
    }

    private static EmbeddedBroker broker(Path directory) {
        Map<String, String> settings = new HashMap<>(TestBroker.settings(Patience.LIMIT));
        settings.put("group.share.min.heartbeat.interval.ms", "500"); // what they cost is measured
        settings.put("group.share.heartbeat.interval.ms", "500");
        return EmbeddedBroker.start(directory, 0, "unused.", settings);
    }

    private record Cost(double requests, double seconds) {}

    /// Lets something go on for a while.
    private static Cost measure(AtomicLong counted) throws InterruptedException {
        double before = brokerSeconds();
        long count = counted.get();
        long begin = System.nanoTime();
        Thread.sleep(MEASURED.toMillis()); // what is measured takes time
        double took = (System.nanoTime() - begin) / 1e9;
        return new Cost((counted.get() - count) / took, (brokerSeconds() - before) / took);
    }

    /// Idle workers, each a member of six groups, as `--device cpu` has it, by the worker's own code. Many more in one
    /// process are short of memory.
    @Test
    @Campaign
    void idleWorkersThatAskForCommands(@TempDir Path directory) throws Exception {
        try (EmbeddedBroker broker = broker(directory);
                Fleet fleet = new Fleet(broker.address(), Patience.LIMIT)) {
            ShareGroups.configure(fleet.brokers, fleet.prefix, Patience.LIMIT);
            CommandRoutes routes = new CommandRoutes(fleet.prefix, Set.of("cpu"));
            AtomicBoolean stop = new AtomicBoolean();
            AtomicLong rounds = new AtomicLong();
            List<Thread> threads = new ArrayList<>();
            Cost idle = measure(rounds);
            System.out.printf("| 0 | | %.2f |%n", idle.seconds());
            for (int workers : new int[] {5, 10, 25}) {
                while (threads.size() < workers) {
                    String id = "w" + threads.size();
                    threads.add(Thread.ofPlatform()
                            .daemon()
                            .name("worker-" + id)
                            .start(() -> {
                                ShareQueue queue =
                                        new ShareQueue(fleet.brokers, id, routes.sources(), new ClaimOrder());
                                while (!stop.get()) {
                                    try {
                                        assertThat(queue.next()).isEmpty();
                                        rounds.incrementAndGet();
                                    } catch (KafkaException e) {
                                        System.out.println(id + ": " + e);
                                        return;
                                    }
                                }
                                queue.close();
                            }));
                }
                Thread.sleep(20_000); // until all have joined
                Cost cost = measure(rounds);
                System.out.printf("| %d | %.0f | %.2f |%n", workers, cost.requests(), cost.seconds());
            }
            stop.set(true);
            for (Thread thread : threads) {
                thread.join(Patience.LIMIT.toMillis());
            }
        }
    }

    /// The heartbeats of a thousand workers, and so many that read them all.
    @Test
    @Campaign
    void heartbeatsThatAllRead(@TempDir Path directory) throws Exception {
        try (EmbeddedBroker broker = broker(directory);
                Fleet fleet = new Fleet(broker.address(), Patience.LIMIT)) {
            AtomicBoolean stop = new AtomicBoolean();
            AtomicLong read = new AtomicLong();
            Thread beats = Thread.ofPlatform().daemon().name("beats").start(() -> {
                for (long i = 0; !stop.get(); i++) {
                    String worker = "trainyard-worker-%d".formatted(i % 1000);
                    var _ = fleet.publisher(worker)
                            .publish(
                                    WorkerStatusBuilder.of(worker, "cuda:0")
                                            .job("resnet-sweep-%d".formatted(i % 1000), 1)
                                            .imagesPerSecond(1234.5)
                                            .memoryBytes(3L << 30)
                                            .store(fleet.store.identity())
                                            .since(Instant.now())
                                            .version("1.0.0")
                                            .contract(2)
                                            .build(),
                                    Instant.now());
                    LockSupport.parkNanos(2_000_000); // 500 a second
                }
            });
            List<Thread> readers = new ArrayList<>();
            for (int count : new int[] {0, 10, 20, 40}) {
                while (readers.size() < count) {
                    String id = "r" + readers.size();
                    readers.add(Thread.ofPlatform()
                            .daemon()
                            .name("reader-" + id)
                            .start(() -> {
                                try (KafkaFleetLog log = new KafkaFleetLog(fleet.brokers, fleet.prefix, id)) {
                                    while (!stop.get()) {
                                        read.addAndGet(
                                                log.poll(Duration.ofSeconds(1)).size());
                                    }
                                }
                            }));
                }
                Thread.sleep(5_000); // until all read
                Cost cost = measure(read);
                System.out.printf("| %d | %.0f | %.2f |%n", count, cost.requests(), cost.seconds());
            }
            stop.set(true);
            beats.join(Patience.LIMIT.toMillis());
            for (Thread thread : readers) {
                thread.join(Patience.LIMIT.toMillis());
            }
            assertThat(read).hasPositiveValue();
        }
    }

    /// Brokers keep so many share sessions, each of one member: whoever comes later is refused, and waits.
    @Test
    @Campaign
    void membersBeyondTheBrokersShareSessions(@TempDir Path directory) throws Exception {
        Map<String, String> settings = new HashMap<>(TestBroker.settings(Patience.LIMIT));
        settings.put("group.share.max.size", "6"); // no more than of
        settings.put("group.share.max.share.sessions", "6");
        try (EmbeddedBroker broker = EmbeddedBroker.start(directory, 0, "unused.", settings);
                Fleet fleet = new Fleet(broker.address(), Patience.LIMIT)) {
            AtomicBoolean finish = new AtomicBoolean();
            var _ = fleet.start("first", fleet.runner("first", finish::get));
            fleet.submit("one");
            fleet.events(events -> !events.isEmpty());
            var _ = fleet.start("second", fleet.runner("second"));
            fleet.submit("two");
            Thread.sleep(30_000); // nothing else shows that nothing happens
            assertThat(fleet.events(_ -> true)).as("the second waits in vain").hasSize(1);
            finish.set(true);
            assertThat(fleet.eventsUntilFinished(2)).isNotEmpty();
        }
    }
}
