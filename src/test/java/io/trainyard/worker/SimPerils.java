package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.CheckpointStore.Content;
import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// What may happen to a process exactly where others begin to see what it does, or do not see it yet: it crashes,
/// or stands still. Faults at any moment hardly ever meet these, which are short.
final class SimPerils {
    private static final List<Integer> FREEZE_SECONDS = List.of(3, 20, 40, 100);

    /// Of the writes of checkpoints where anything happens at all.
    private static final double LATE_WRITES = 0.03;

    private final SimWorld world;
    private final SplittableRandom chance;
    private final SplittableRandom lateChance;
    private final Runnable atLateWrite;
    private double share;

    /// @param atLateWrite called when something has arrived in a store whose writer is dead
    SimPerils(SimWorld world, Runnable atLateWrite) {
        this.world = world;
        this.atLateWrite = atLateWrite;
        chance = world.chance("perils");
        lateChance = world.chance("late writes");
    }

    /// @param now the share of such places at which something happens
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

    Outbox around(Outbox real, SimProcess process) {
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

    CommandQueue around(CommandQueue real, SimProcess process) {
        return new SimQueueSeam(real) {
            @Override
            public Optional<ConsumerRecord<byte[], byte[]>> next() {
                var next = super.next();
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

    /// What a writer has sent when it dies, a store on a network may have a while later.
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

    /// The store as a process sees it.
    CheckpointStore view(SimStore store, SimProcess process) {
        return new SimStoreSeam(store.of(process)) {
            @Override
            public boolean createIfAbsent(String key, byte[] content) {
                reach(process);
                boolean created = super.createIfAbsent(key, content);
                reach(process);
                return created;
            }

            @Override
            public CheckpointRef write(String key, Content content) {
                reach(process);
                dieInMidWrite(store, process, key, content);
                CheckpointRef written = super.write(key, content);
                reach(process);
                return written;
            }
        };
    }
}
