package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.PackagedFleet;
import io.trainyard.Patience;
import io.trainyard.broker.ThreeBrokers;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// One of three brokers fails, or other brokers become leaders, while workers claim and train. All topics have
/// three replicas and `min.insync.replicas` 2.
@EnabledOnOs(OS.LINUX)
final class ThreeBrokersIT {
    private static final int BROKERS = 3;
    private static final int WORKERS = 3;

    /// Jobs that run or wait during a fault.
    private static final int UNFINISHED = 2 * WORKERS;

    /// Jobs arrive no faster than this. The load need not use all cores: they start the brokers.
    private static final Duration PACE = Duration.ofSeconds(1);

    /// The limit of the time without a claim: Kafka's `broker.session.timeout.ms` of 9 s, and joining the share
    /// groups again on a busy machine.
    private static final Duration BOUND = Patience.LIMIT.dividedBy(2);

    @TempDir
    private static Path folder;

    /// The disk of the last broker, if this process may mount one.
    private static Optional<Path> disk = Optional.empty();

    private static ThreeBrokers brokers;
    private static FaultFleet fleet;

    @BeforeAll
    static void start() throws Exception {
        Path mounted = Files.createDirectories(folder.resolve(ThreeBrokers.folder(BROKERS)));
        if (succeeds("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", mounted.toString())) {
            disk = Optional.of(mounted);
        }
        brokers = ThreeBrokers.start(folder);
        Brokers kafka = Brokers.at(brokers.address());
        TopicAdmin.createMissing(kafka, Topic.DEFAULT_PREFIX, Patience.LIMIT);
        fleet = new FaultFleet(
                folder,
                PackagedFleet.on(folder, brokers.address()),
                kafka,
                FaultStore.Kind.chosen().open(folder),
                new FaultFleet.Setup(List.of(), "cpu", FaultFleet.smallJob()));
        for (int i = 0; i < WORKERS; i++) { // in turn: a busy machine starts one within the limit
            fleet.startWorker("--threads", "1");
            fleet.fleet().awaitMembers();
        }
        fleet.awaitFinished(fleet.submit(WORKERS)); // compiles their kernels
        brokers.awaitInSync();
    }

    @AfterAll
    static void stop() throws Exception {
        if (fleet != null) {
            fleet.close();
        }
        if (brokers != null) {
            brokers.close();
        }
        if (disk.isPresent()) {
            assertThat(succeeds("umount", "--lazy", disk.get().toString())).isTrue();
        }
    }

    private static boolean succeeds(String... command) throws Exception {
        return Patience.exitStatus(new ProcessBuilder(Stream.concat(Stream.of("/usr/bin/env"), Stream.of(command))
                                .toList())
                        .start())
                == 0;
    }

    /// It leads all partitions, and its controller is the active one.
    @Test
    void aKilledBroker() throws Exception {
        int killed = brokers.controller();
        brokers.lead(killed);
        duringLoad("`kill -9` of one of three brokers", () -> {
            brokers.process(killed).kill();
            var _ = brokers.process(killed).exitStatus();
            brokers.awaitFollower(killed);
            restart(killed);
        });
    }

    @Test
    void aFullDisk() throws Exception {
        assumeTrue(disk.isPresent(), "a disk for a broker cannot be mounted here: needs root");
        brokers.lead(BROKERS);
        duringLoad("the disk of one of three brokers full", () -> {
            Path ballast = fill(disk.orElseThrow());
            assertThat(brokers.process(BROKERS).exitStatus())
                    .as(brokers.toString())
                    .isPositive();
            brokers.awaitFollower(BROKERS);
            Files.delete(ballast);
            restart(BROKERS);
        });
    }

    @Test
    void aRollingRestart() throws Exception {
        duringLoad("three brokers restarted in turn", () -> {
            for (int id = 1; id <= BROKERS; id++) {
                brokers.process(id).terminate();
                var _ = brokers.process(id).exitStatus();
                restart(id);
            }
        });
    }

    @Test
    void otherLeaders() throws Exception {
        duringLoad("all partitions led by each of three brokers in turn", () -> {
            for (int id = 1; id <= BROKERS; id++) {
                brokers.lead(id);
                Thread.sleep(Duration.ofSeconds(2));
            }
        });
    }

    private static void restart(int id) {
        brokers.start(id);
        brokers.awaitStarted(id);
        brokers.awaitInSync();
    }

    private static Path fill(Path folder) throws IOException {
        Path ballast = folder.resolve("ballast");
        byte[] block = new byte[1 << 12];
        try (OutputStream out = Files.newOutputStream(ballast)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
            return ballast;
        }
    }

    @FunctionalInterface
    private interface Fault {
        void inject() throws Exception;
    }

    /// Injects a fault while some jobs run and others wait; each ends once, with the result of an undisturbed
    /// one.
    private static void duringLoad(String what, Fault fault) throws Exception {
        List<String> jobs = new ArrayList<>(fleet.submit(UNFINISHED));
        var _ = fleet.records().await(jobs.get(WORKERS), Claimed.class);
        try (var injector = Executors.newSingleThreadExecutor()) {
            Future<?> injected = injector.submit(() -> {
                fault.inject();
                return null;
            });
            while (!injected.isDone()) {
                long unfinished = jobs.stream()
                        .filter(job -> fleet.records().finished(job).isEmpty())
                        .count();
                if (unfinished < UNFINISHED) {
                    jobs.addAll(fleet.submit(1));
                }
                Thread.sleep(PACE);
            }
            var _ = injected.get();
        }
        fleet.awaitFinished(jobs);
        Duration pause = fleet.longestPause(jobs);
        FaultTable.add(what + "; time without a claim", jobs.size(), List.of(pause), "the checker finds nothing");
        fleet.check();
        assertThat(pause).as(() -> fleet.fleet() + " " + brokers).isLessThan(BOUND);
    }
}
