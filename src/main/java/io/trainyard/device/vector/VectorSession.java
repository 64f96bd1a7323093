package io.trainyard.device.vector;

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
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A step: every shard computes its samples' gradients; then every thread sums a range of them and updates it.
final class VectorSession implements LearningSession {
    /// Fewer samples than this leave rows of the kernels' tiles empty.
    private static final int MIN_CHUNK = 4;

    /// Elements: with the gradients of two shards and the optimizer's state, about a first-level cache.
    private static final int UPDATE_BLOCK = 4096;

    private final Workload workload;
    private final int threads;
    private final FlatModel model;
    private final Map<String, float[]> masks = new LinkedHashMap<>();
    private final List<Shard> shards = new ArrayList<>();
    private final double[] losses; // one a shard
    private final ThreadTeam team;
    private @Nullable EpochPlan plan;
    private int nextStep;
    private boolean closed;

    VectorSession(Workload workload, int threads) {
        this.workload = workload;
        this.threads = threads;
        Network network = workload.network();
        model = new FlatModel(network, workload.optimizer());
        for (Network.Layer layer : network.layers()) {
            if (layer.spec() instanceof LayerSpec.Dropout dropout && dropout.p() > 0) {
                int elements =
                        Math.multiplyExact(workload.batchSize(), layer.out().elements());
                masks.put(layer.name(), new float[elements]);
            }
        }
        int chunk = chunk(network, Math.ceilDiv(workload.batchSize(), threads));
        for (int t = 0; t < threads; t++) {
            shards.add(new Shard(workload, model, masks, chunk));
        }
        losses = new double[threads];
        team = new ThreadTeam(threads);
    }

    /// As many samples as take about the room of the parameters and their gradients: with fewer, these would be
    /// read more often than the samples; with more, the samples would leave the cache. All chunks of a share have
    /// one size.
    private static int chunk(Network network, int share) {
        long fitting = Math.ceilDiv(2 * network.parameterElements(), network.activationElements());
        int chunks = Math.ceilDiv(share, (int) Math.clamp(fitting, MIN_CHUNK, Integer.MAX_VALUE));
        return Math.ceilDiv(share, chunks);
    }

    @Override
    public int threads() {
        return threads;
    }

    @Override
    public void load(SessionState newState) {
        requireOpen();
        model.load(newState);
    }

    @Override
    public SessionState save() {
        requireOpen();
        return model.save();
    }

    @Override
    public void beginEpoch(EpochPlan newPlan, int firstStep) {
        requireOpen();
        workload.requirePlan(newPlan, firstStep);
        newPlan.random().skip(workload.drawnWords(firstStep));
        plan = newPlan;
        nextStep = firstStep;
    }

    @Override
    public float[] advance(int steps) {
        requireOpen();
        EpochPlan epoch = plan;
        if (epoch == null) {
            throw new IllegalStateException("no epoch has begun; call beginEpoch first");
        }
        workload.requireStepsLeft(nextStep, steps);
        float[] stepLosses = new float[steps];
        for (int i = 0; i < steps; i++) {
            stepLosses[i] = step(epoch);
            nextStep++;
        }
        return stepLosses;
    }

    private float step(EpochPlan epoch) {
        Dataset.Split train = workload.dataset().train();
        int from = nextStep * workload.batchSize();
        int samples = Math.min(workload.batchSize(), train.size() - from);
        List<Augmentation.Change> changes = workload.augmentation().draw(epoch.random(), samples);
        drawMasks(epoch, samples);
        team.run(t -> {
            int begin = share(samples, t);
            int end = share(samples, t + 1);
            losses[t] = shards.get(t).train(train, epoch.order(), from, begin, end, samples, changes);
        });
        double learningRate = epoch.learningRates()[nextStep];
        ParameterUpdate update = ParameterUpdate.of(workload.optimizer(), learningRate, model.countStep());
        int tiles = model.values().length / Vectors.TILE;
        team.run(t -> update(update, share(tiles, t) * Vectors.TILE, share(tiles, t + 1) * Vectors.TILE));
        double loss = 0;
        for (double shardLoss : losses) {
            loss += shardLoss;
        }
        return (float) (loss / samples);
    }

    /// Where the part of thread `t` begins.
    private int share(int all, int t) {
        return (int) ((long) all * t / threads);
    }

    /// One layer's mask after the other, each for the whole batch: PyTorch's order of random numbers.
    private void drawMasks(EpochPlan epoch, int samples) {
        for (Network.Layer layer : workload.network().layers()) {
            float[] mask = masks.get(layer.name());
            if (mask != null && layer.spec() instanceof LayerSpec.Dropout dropout) {
                int elements = samples * layer.out().elements();
                float[] drawn = elements == mask.length ? mask : new float[elements];
                epoch.random().dropoutMask(drawn, dropout.p());
                System.arraycopy(drawn, 0, mask, 0, elements);
            }
        }
    }

    /// Sums the shards' gradients, in their order, and takes the optimizer's step; block by block, so that the sums
    /// are still in the cache when they are used.
    private void update(ParameterUpdate update, int begin, int end) {
        float[] sum = shards.getFirst().gradients();
        for (int from = begin; from < end; from += UPDATE_BLOCK) {
            int to = Math.min(end, from + UPDATE_BLOCK);
            for (Shard shard : shards.subList(1, threads)) {
                GradientSum.add(sum, shard.gradients(), from, to);
            }
            update.apply(model.values(), sum, model.state(), from, to);
        }
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
        requireOpen();
        Dataset.Split test = workload.dataset().test();
        int[] order = IntStream.range(0, test.size()).toArray();
        team.run(t -> shards.get(t).test(test, order, share(test.size(), t), share(test.size(), t + 1), reader));
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the session is closed; open another");
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            team.close();
        }
    }
}
