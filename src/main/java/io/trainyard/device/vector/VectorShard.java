package io.trainyard.device.vector;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.SampleWeights;
import io.trainyard.device.ShardRange;
import io.trainyard.device.Workload;
import io.trainyard.device.host.BatchAssembler;
import io.trainyard.device.host.BatchLoss;
import io.trainyard.device.host.BatchMasks;
import io.trainyard.device.host.BatchShard;
import io.trainyard.spec.Network;
import java.util.Arrays;
import java.util.List;

/// One thread's work: runs its samples of a batch, a chunk at a time, through the whole network and back, and sums
/// its own gradients of the parameters. Shards share only the parameters, which are read-only for them.
final class VectorShard implements BatchShard {
    private final Workload workload;
    private final ShardRange ofBatch;
    private final ShardRange ofTests;
    private final int classes;
    private final int chunk;
    private final float[] gradients;
    private final VectorChain chain;
    private final Values input;
    private final Values logits;
    private final BatchAssembler assembler;
    private final SampleWeights weights;
    private final BatchLoss loss;
    private final float[] rows; // (chunk, classes)
    private long batchNanos;

    VectorShard(
            Workload workload, FlatModel model, BatchMasks masks, int chunk, ShardRange ofBatch, ShardRange ofTests) {
        this.workload = workload;
        this.ofBatch = ofBatch;
        this.ofTests = ofTests;
        Network network = workload.network();
        this.classes = network.classes();
        this.chunk = chunk;
        this.gradients = new float[model.trained()];
        this.assembler = new BatchAssembler(workload.dataset(), workload.scale());
        this.weights = workload.sampleWeights();
        this.loss = BatchLoss.of(workload);
        this.rows = new float[chunk * classes];
        this.chain = new VectorChain(network, model, masks, chunk, gradients);
        this.input = chain.input();
        this.logits = chain.output();
    }

    float[] gradients() {
        return gradients;
    }

    @Override
    public double train(int[] order, int from, int batchSize, List<Change> changes) {
        Dataset.Split split = workload.dataset().train();
        int begin = ofBatch.begin(batchSize);
        int end = ofBatch.end(batchSize);
        double batchWeight = weights.sum(split, order, from, batchSize);
        double sum = 0;
        if (begin == end) {
            Arrays.fill(gradients, 0);
        }
        for (int first = begin; first < end; first += chunk) {
            int samples = Math.min(chunk, end - first);
            List<Change> own = changes.isEmpty() ? changes : changes.subList(first, first + samples);
            long assembling = System.nanoTime();
            assemble(split, order, from + first, samples, own);
            batchNanos += System.nanoTime() - assembling;
            forward(first, samples, true);
            sum += loss.lossWithGradient(rows, split, order, from + first, samples, batchWeight);
            for (int s = 0; s < samples; s++) {
                System.arraycopy(rows, s * classes, logits.gradient, logits.grid.at(s, 0, 0), classes);
            }
            chain.backward(first, samples, first > begin);
        }
        return sum;
    }

    @Override
    public long batchNanos() {
        return batchNanos;
    }

    @Override
    public void test(int[] order, OutputReader reader) {
        Dataset.Split split = workload.dataset().test();
        int end = ofTests.end(split.size());
        for (int first = ofTests.begin(split.size()); first < end; first += chunk) {
            int samples = Math.min(chunk, end - first);
            assemble(split, order, first, samples, List.of());
            forward(first, samples, false);
            reader.read(loss, rows, first, samples);
        }
    }

    private void assemble(Dataset.Split split, int[] order, int from, int samples, List<Change> changes) {
        for (int s = 0; s < samples; s++) {
            Change change = changes.isEmpty() ? null : changes.get(s);
            assembler.assemble(split, order[from + s], change, input.data, input.grid.at(s, 0, 0));
        }
    }

    private void forward(int first, int samples, boolean training) {
        chain.forward(first, samples, training);
        for (int s = 0; s < samples; s++) {
            System.arraycopy(logits.data, logits.grid.at(s, 0, 0), rows, s * classes, classes);
        }
    }
}
