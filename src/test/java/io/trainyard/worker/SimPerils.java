package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.CheckpointStore.Content;
import io.trainyard.topics.Topic;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// Faults at the exact moments before and after a process's actions become visible: it crashes or freezes.
/// Faults at random times rarely hit these short windows.
final class SimPerils {
    private static final List<Integer> FREEZE_SECONDS = List.of(3, 20, 40, 100);

    /// The share of checkpoint writes after which the writer dies, in worlds with any faults.
    private static final double LATE_WRITES = 0.03;

    /// The share of checkpoints, or of ends, that a process freezes before, in worlds with such freezes.
    private static final double STANDSTILLS = 0.5;

    private static final Duration LONGEST_STANDSTILL = Duration.ofSeconds(60);

    private static final Pattern FIRST_OF_A_CHECKPOINT =
            Pattern.compile("(.*)/checkpoints/step-[0-9]+-([0-9]+)\\.training\\.safetensors");

    private final SimWorld world;
    private final SplittableRandom chance;
    private final SplittableRandom lateChance;
    private final Runnable atLateWrite;
    private final Map<SimProcess, Integer> calls = new WeakHashMap<>(); // store calls for the current command
    private int mostCalls;
    private final int late; // 0: processes freeze before they save checkpoints; 1: before they end jobs
    private double share;

    /// @param atLateWrite called when an object arrives in a store after its writer has died
    SimPerils(SimWorld world, Runnable atLateWrite) {
        this.world = world;
        this.atLateWrite = atLateWrite;
        chance = world.chance("perils");
        lateChance = world.chance("late writes");
        late = lateChance.nextInt(3);
    }

    /// The most store calls of any claim so far.
    int mostCalls() {
        return mostCalls;
    }

    private void called(SimProcess process) {
        if (Thread.currentThread().getName().equals("claims")) {
            mostCalls = Math.max(mostCalls, calls.merge(process, 1, Integer::sum));
        }
    }

    /// @param now the share of such moments at which a fault happens
    void share(double now) {
        share = now;
    }

    private void reach(SimProcess process) {
        if (share > 0 && chance.nextDouble() < share) {
            if (chance.nextInt(3) == 0) {
                process.freeze(Duration.ofSeconds(FREEZE_SECONDS.get(chance.nextInt(FREEZE_SECONDS.size()))));
            } else {
                process.crash();
            }
        }
    }

    Outbox context(Outbox real, SimProcess process) {
        return (topic, key, value, headers) -> {
            if (topic.equals(Topic.WORKERS.name(""))) {
                return real.send(topic, key, value, headers);
            }
            reach(process);
            CompletableFuture<Void> sent = real.send(topic, key, value, headers);
            reach(process);
            return sent.thenRun(() -> reach(process));
        };
    }

    CommandQueue context(CommandQueue real, SimProcess process) {
        return new SimQueueSeam(real) {
            @Override
            public Optional<ConsumerRecord<byte[], byte[]>> next() {
                var next = super.next();
                calls.remove(process);
                if (next.isPresent()) {
                    reach(process);
                }
                return next;
            }

            @Override
            public boolean accept() {
                reach(process);
                boolean accepted = super.accept();
                reach(process);
                return accepted;
            }
        };
    }

    /// A store on a network may receive the content some time after the writer has died.
    private void dieInMidWrite(SimStore store, SimProcess process, String key, Content content) {
        if (share > 0 && lateChance.nextDouble() < LATE_WRITES) {
            byte[] late = SimStore.bytes(key, content);
            SimTimer _ = world.after(Duration.ofMillis(lateChance.nextLong(15_000, 30_000)), () -> {
                store.put(key, late);
                if (share > 0) {
                    atLateWrite.run();
                }
            });
            process.crash();
        }
    }

    /// Freezes until another worker owns the job. That worker may die soon after.
    ///
    /// @param next the link that makes the other worker the owner
    private void standStill(SimStore store, SimProcess process, String next) {
        if (share > 0 && lateChance.nextDouble() < STANDSTILLS) {
            store.atCreated(next, () -> {
                process.freeze(Duration.ofMillis(lateChance.nextLong(lateChance.nextBoolean() ? 200 : 3000)));
                if (share > 0) {
                    SimTimer _ = world.after(Duration.ofMillis(lateChance.nextLong(3000)), atLateWrite);
                }
            });
            process.freeze(LONGEST_STANDSTILL);
        }
    }

    /// The store as a process sees it.
    CheckpointStore view(SimStore store, SimProcess process) {
        return new SimStoreSeam(store.of(process)) {
            @Override
            public Optional<InputStream> open(String key) {
                called(process);
                return super.open(key);
            }

            @Override
            public boolean has(String key) {
                called(process);
                return super.has(key);
            }

            @Override
            public List<String> list(String folder) {
                called(process);
                return super.list(folder);
            }

            @Override
            public void delete(String key) {
                reach(process);
                super.delete(key);
                reach(process);
            }

            @Override
            public boolean createIfAbsent(String key, byte[] content) {
                called(process);
                reach(process);
                if (late == 1
                        && Thread.currentThread().getName().startsWith("job-")
                        && key.matches(".*/attempts/[0-9]+")) {
                    standStill(store, process, key);
                }
                boolean created = super.createIfAbsent(key, content);
                reach(process);
                return created;
            }

            @Override
            public CheckpointRef write(String key, Content content) {
                reach(process);
                Matcher first = FIRST_OF_A_CHECKPOINT.matcher(key);
                if (late == 0 && first.matches()) {
                    int attempt = Integer.parseInt(first.group(2));
                    standStill(store, process, "%s/attempts/%d".formatted(first.group(1), attempt + 1));
                }
                dieInMidWrite(store, process, key, content);
                CheckpointRef written = super.write(key, content);
                reach(process);
                return written;
            }
        };
    }
}
