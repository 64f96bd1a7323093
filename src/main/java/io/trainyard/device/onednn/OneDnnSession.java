package io.trainyard.device.onednn;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.host.GradientSum;
import io.trainyard.device.host.ParameterUpdate;
import io.trainyard.device.host.ThreadTeam;
import io.trainyard.random.TorchRandom;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A step: every shard computes its samples' gradients; then every thread sums a range of them and updates it.
final class OneDnnSession implements LearningSession {
    private final Workload workload;
    private final OneDnnLibrary library;
    private final int threads;
    private final int shardThreads; // of oneDNN, within each shard
    private final Thread owner = Thread.currentThread();
    private final ThreadTeam team;
    private final Shard[] shards;
    private final ModelState state;
    private final double[] losses; // one a shard
    private @Nullable EpochPlan plan;
    private int nextStep;
    private boolean closed;

    /// @param count of shards; a divisor of `threads`
    OneDnnSession(Workload workload, OneDnnLibrary library, int threads, int count) {
        this.workload = workload;
        this.library = library;
        this.threads = threads;
        shardThreads = threads / count;
        losses = new double[count];
        shards = new Shard[count];
        team = new ThreadTeam(count);
        try {
            library.setThreads(shardThreads);
            shards[0] = new Shard(workload, 0, count, null, this::random);
            state = shards[0].state();
            team.run(t -> {
                if (t > 0) { // chooses no layouts: the first has
                    library.setThreads(shardThreads);
                    shards[t] = new Shard(workload, t, count, state, this::random);
                }
            });
        } catch (RuntimeException | Error e) {
            closeShards();
            throw e;
        }
    }

    @Override
    public int threads() {
        return threads;
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

    @Override
    public void beginEpoch(EpochPlan newPlan, int firstStep) {
        enter();
        workload.requirePlan(newPlan, firstStep);
        newPlan.random().skip(workload.drawnWords(firstStep));
        plan = newPlan;
        nextStep = firstStep;
    }

    @Override
    public float[] advance(int steps) {
        enter();
        EpochPlan epoch = epoch();
        workload.requireStepsLeft(nextStep, steps);
        float[] stepLosses = new float[steps];
        for (int i = 0; i < steps; i++) {
            stepLosses[i] = step(epoch);
            nextStep++;
        }
        return stepLosses;
    }

    private float step(EpochPlan epoch) {
        int samples = nextStep == workload.stepsPerEpoch() - 1 ? workload.lastBatchSize() : workload.batchSize();
        int from = nextStep * workload.batchSize();
        List<Augmentation.Change> changes = workload.augmentation().draw(epoch.random(), samples);
        team.run(t -> losses[t] = shards[t].train(epoch.order(), from, samples, changes));
        double learningRate = epoch.learningRates()[nextStep];
        ParameterUpdate update = ParameterUpdate.of(workload.optimizer(), learningRate, state.countStep());
        team.run(t -> update(update, t));
        double loss = 0;
        for (double shardLoss : losses) {
            loss += shardLoss;
        }
        return (float) (loss / samples);
    }

    /// Sums the shards' gradients, in their order, and takes the optimizer's step, for thread `t`'s part of each
    /// parameter.
    private void update(ParameterUpdate update, int t) {
        List<Slot> slots = shards[0].trained();
        for (int i = 0; i < slots.size(); i++) {
            Slot slot = slots.get(i);
            int floats = Math.toIntExact(slot.value().floats());
            int from = Shards.begin(floats, t, shards.length);
            int to = Shards.begin(floats, t + 1, shards.length);
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

    @Override
    public Evaluation evaluate() {
        Dataset.Split test = workload.dataset().test();
        float[] sampleLosses = new float[test.size()];
        int[] predictions = new int[test.size()];
        runTest((crossEntropy, logits, from, samples) ->
                crossEntropy.evaluate(logits, test, from, samples, sampleLosses, predictions));
        return Evaluation.of(
                workload.batchSize(), workload.network().classes(), sampleLosses, predictions, test.labels());
    }

    @Override
    public float[] predict() {
        int tests = workload.dataset().test().size();
        float[] probabilities =
                new float[Math.multiplyExact(tests, workload.network().classes())];
        runTest((crossEntropy, logits, from, samples) ->
                crossEntropy.probabilities(logits, from, samples, probabilities));
        return probabilities;
    }

    private void runTest(Shard.LogitsReader reader) {
        enter();
        int[] order = IntStream.range(0, workload.dataset().test().size()).toArray();
        team.run(t -> shards[t].test(order, reader));
    }

    private EpochPlan epoch() {
        EpochPlan begun = plan;
        if (begun == null) {
            throw new IllegalStateException("no epoch has begun; call beginEpoch first");
        }
        return begun;
    }

    private TorchRandom random() {
        return epoch().random();
    }

    /// Two sessions of one thread may have different thread counts; OpenMP keeps one for each calling thread.
    private void enter() {
        requireOwner();
        if (closed) {
            throw new IllegalStateException("the session is closed; open another");
        }
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
        if (!closed) {
            closed = true;
            closeShards();
        }
    }

    /// Each on its own thread, those that were opened.
    private void closeShards() {
        team.run(t -> {
            if (shards[t] != null) {
                shards[t].close();
            }
        });
        team.close();
    }
}
