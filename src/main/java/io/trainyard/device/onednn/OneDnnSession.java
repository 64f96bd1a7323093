package io.trainyard.device.onednn;

import io.trainyard.device.ShardBarrier;
import io.trainyard.device.ShardRange;
import io.trainyard.device.ShardSession;
import io.trainyard.device.Workload;
import io.trainyard.device.host.BatchShard;
import io.trainyard.device.host.GradientSum;
import io.trainyard.device.host.ParameterUpdate;
import io.trainyard.device.host.ShardedSession;
import io.trainyard.device.session.StateTable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// Computes shards with oneDNN, each with its own oneDNN threads. The first shard's first program chooses the
/// layouts of the parameters, which all share.
final class OneDnnSession extends ShardedSession {
    private final OneDnnLibrary library;
    private final int shardThreads; // oneDNN threads of each shard
    private final Thread owner = Thread.currentThread();
    private final OneDnnShard[] shards;
    private final ModelState model;
    private final StateTable state;
    private final BatchNormBarrier norms;
    private final List<List<MemorySegment>> gradients = new ArrayList<>(); // of all shards: this session's first
    private final List<OneDnnSession> others = new ArrayList<>(); // of the other devices

    /// @param count of shards; a divisor of `threads`
    /// @param first the first device's session, with the parameter layouts to use; null for the first itself
    OneDnnSession(
            Workload workload,
            ShardRange part,
            OneDnnLibrary library,
            int threads,
            int count,
            @Nullable OneDnnSession first) {
        super(workload, part, threads, count);
        this.library = library;
        shardThreads = threads / count;
        shards = new OneDnnShard[count];
        norms = new BatchNormBarrier(workload.network(), count, team().barrier());
        try {
            library.setThreads(shardThreads);
            ModelState layouts = first == null ? null : first.model;
            OneDnnShard chooser = new OneDnnShard(
                    workload,
                    part.piece(0, count),
                    new ShardRange(0, count),
                    engine -> new ModelState(engine, workload.update(), layouts),
                    masks(),
                    own -> new ShardBatchNorms(own, workload.network(), 0, norms));
            shards[0] = chooser;
            model = chooser.state();
            state = new StateTable(workload.network().parameters(), workload.update(), model);
            team().run(t -> {
                if (t > 0) { // reuses the layouts of the first shard
                    library.setThreads(shardThreads);
                    shards[t] = new OneDnnShard(
                            workload,
                            part.piece(t, count),
                            new ShardRange(t, count),
                            model::withGradientsOf,
                            masks(),
                            own -> new ShardBatchNorms(own, workload.network(), t, norms));
                }
            });
        } catch (RuntimeException | Error e) {
            super.close();
            throw e;
        }
        addGradients(this);
    }

    private void addGradients(OneDnnSession session) {
        for (OneDnnShard shard : session.shards) {
            gradients.add(shard.gradients());
        }
    }

    @Override
    protected void connect(ShardSession session) {
        OneDnnSession other = (OneDnnSession) session;
        others.add(other);
        addGradients(other);
    }

    @Override
    protected void connectAt(ShardBarrier barrier, List<? extends ShardSession> all) {
        norms.join(all.stream().map(part -> ((OneDnnSession) part).norms).toList(), barrier);
    }

    @Override
    protected BatchShard shard(int number) {
        return shards[number];
    }

    @Override
    protected StateTable state() {
        return state;
    }

    @Override
    protected void takeOverParameters() {
        others.forEach(other -> model.copyValues(other.model, other.part()));
    }

    @Override
    protected void takeOverSlots() {
        others.forEach(other -> model.copyState(other.model, other.part()));
    }

    @Override
    protected void update(List<? extends ParameterUpdate> updates, ShardRange range) {
        List<ParameterMemory> parameters = shards[0].trained();
        for (int i = 0; i < parameters.size(); i++) {
            MemorySegment sum = Memory.piece(gradients.getFirst().get(i), range);
            for (List<MemorySegment> more : gradients.subList(1, gradients.size())) {
                GradientSum.add(sum, Memory.piece(more.get(i), range));
            }
            parameters.get(i).apply(updates, sum, range);
        }
    }

    @Override
    protected void updateBySums(List<? extends ParameterUpdate> updates, ShardRange range) {
        List<ParameterMemory> parameters = shards[0].trained();
        for (int i = 0; i < parameters.size(); i++) {
            parameters.get(i).apply(updates, Memory.piece(gradients.getFirst().get(i), range), range);
        }
    }

    /// Runs on the thread team, because oneDNN's scratch memory belongs to a thread.
    @Override
    protected void together(IntConsumer part) {
        team().run(part);
    }

    /// Two sessions of one thread may have different thread counts; OpenMP keeps one for each calling thread.
    @Override
    protected void enter() {
        requireOwner();
        super.enter();
        library.setThreads(shardThreads);
    }

    @SuppressWarnings("ReferenceEquality") // threads are compared by identity
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

    /// Closes each opened shard on its own thread.
    @Override
    protected void closeShards() {
        team().run(t -> {
            if (shards[t] != null) {
                shards[t].close();
            }
        });
    }
}
