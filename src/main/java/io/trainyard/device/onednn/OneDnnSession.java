package io.trainyard.device.onednn;

import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.host.BatchShard;
import io.trainyard.device.host.GradientSum;
import io.trainyard.device.host.ParameterUpdate;
import io.trainyard.device.host.ShardedSession;
import io.trainyard.random.TorchRandom;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Shards computed by oneDNN, each with threads of oneDNN's own. The first shard's first program chooses the
/// layouts of the parameters, which all share.
final class OneDnnSession extends ShardedSession {
    private final OneDnnLibrary library;
    private final int shardThreads; // of oneDNN, within each shard
    private final Thread owner = Thread.currentThread();
    private final Shard[] shards;
    private final ModelState state;

    /// @param count of shards; a divisor of `threads`
    OneDnnSession(Workload workload, OneDnnLibrary library, int threads, int count) {
        super(workload, threads, count);
        this.library = library;
        shardThreads = threads / count;
        shards = new Shard[count];
        try {
            library.setThreads(shardThreads);
            shards[0] = new Shard(workload, 0, count, null, this::random);
            state = shards[0].state();
            team().run(t -> {
                if (t > 0) { // chooses no layouts: the first has
                    library.setThreads(shardThreads);
                    shards[t] = new Shard(workload, t, count, state, this::random);
                }
            });
        } catch (RuntimeException | Error e) {
            super.close();
            throw e;
        }
    }

    @Override
    protected BatchShard shard(int number) {
        return shards[number];
    }

    @Override
    public void load(SessionState newState) {
        enter();
        state.load(newState);
    }

    @Override
    public SessionState save() {
        enter();
        return state.save();
    }

    /// Layers draw their masks when they come to them.
    @Override
    protected void draw(TorchRandom random, int samples) {}

    @Override
    protected long countStep() {
        return state.countStep();
    }

    @Override
    protected void update(ParameterUpdate update, int part) {
        List<Slot> slots = shards[0].trained();
        for (int i = 0; i < slots.size(); i++) {
            Slot slot = slots.get(i);
            int floats = Math.toIntExact(slot.value().floats());
            int from = BatchShard.begin(floats, part, shards.length);
            int to = BatchShard.begin(floats, part + 1, shards.length);
            MemorySegment sum = gradient(0, i, from, to);
            for (int s = 1; s < shards.length; s++) {
                GradientSum.add(sum, gradient(s, i, from, to));
            }
            slot.apply(update, sum, from, to);
        }
    }

    private MemorySegment gradient(int shard, int slot, long from, long to) {
        return shards[shard].gradients().get(slot).asSlice(from * Float.BYTES, (to - from) * Float.BYTES);
    }

    /// Two sessions of one thread may have different thread counts; OpenMP keeps one for each calling thread.
    @Override
    protected void enter() {
        requireOwner();
        super.enter();
        library.setThreads(shardThreads);
    }

    @SuppressWarnings("ReferenceEquality") // a thread is itself only
    private void requireOwner() {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException(
                    "the session was opened by thread \"%s\" and is used by \"%s\"; use it where it was opened"
                            .formatted(owner.getName(), Thread.currentThread().getName()));
        }
    }

    @Override
    public void close() {
        requireOwner();
        super.close();
    }

    /// Each on its own thread, those that were opened.
    @Override
    protected void closeShards() {
        team().run(t -> {
            if (shards[t] != null) {
                shards[t].close();
            }
        });
    }
}
