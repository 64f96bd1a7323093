package io.trainyard.device.reference;

import io.trainyard.data.Dataset;
import io.trainyard.data.Samples;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.Evaluation;
import io.trainyard.device.ShardRange;
import io.trainyard.device.Workload;
import io.trainyard.device.session.BackendSession;
import io.trainyard.device.session.StateTable;
import io.trainyard.random.TorchRandom;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/// Each step gathers a batch and runs all layers forward, the loss, all layers backward, and the optimizer.
final class ReferenceSession extends BackendSession {
    private final int classes;
    private final StateTable state;
    private final ReferenceChain network;
    private final ReferenceLoss loss;
    private final ReferenceUpdate update;
    private final float[] losses; // of the epoch's steps

    ReferenceSession(Workload workload) {
        super(workload, ShardRange.WHOLE);
        this.classes = workload.network().classes();
        var memory = new ReferenceState(workload.network().parameters(), workload.update());
        this.state = new StateTable(workload.network().parameters(), workload.update(), memory);
        this.network = ReferenceChain.of(workload.network().layers(), memory);
        this.loss = ReferenceLoss.of(workload);
        this.update = new ReferenceUpdate(workload.update(), memory);
        this.losses = new float[workload.stepsPerEpoch()];
    }

    /// Always 1, regardless of the workload.
    @Override
    public int threads() {
        return 1;
    }

    @Override
    protected StateTable state() {
        return state;
    }

    @Override
    protected void computeOwnGradients() {
        TorchRandom random = cursor().plan().random();
        int[] samples = batch(cursor().plan().order(), cursor().step());
        Dataset.Split train = workload().dataset().train();

        List<Change> changes = workload().augmentation().draw(random, samples.length);
        float[] values = network.train(values(train, samples, changes), samples.length, random);

        double weight = workload().sampleWeights().sum(train, samples, 0, samples.length);
        losses[cursor().step()] = Workload.meanLoss(loss.sum(values, train, samples), weight);

        var _ = network.backward(loss.gradient(values, train, samples, weight), samples.length);
    }

    @Override
    protected void gatherOwnRange() {
        update.gather();
    }

    @Override
    protected double ownSquares() {
        return update.squares();
    }

    @Override
    protected void updateOwnRange(long step) {
        OptionalDouble maxNorm = workload().loop().maxNorm();
        if (maxNorm.isEmpty()) {
            update.gather();
        }
        if (updates()) {
            float coefficient = maxNorm.isPresent() ? clipCoefficient(maxNorm) : 1;
            update.step(cursor(), coefficient, step);
        }
    }

    @Override
    protected float[] losses(int first, int end) {
        return Arrays.copyOfRange(losses, first, end);
    }

    @Override
    protected Evaluation test() {
        return loss.evaluate(testOutputs(), workload());
    }

    @Override
    protected float[] probabilities() {
        return loss.predict(testOutputs());
    }

    private float[] testOutputs() {
        Dataset.Split test = workload().dataset().test();
        float[] outputs = new float[Math.multiplyExact(test.size(), classes)];
        int[] order = IntStream.range(0, test.size()).toArray();
        for (int from = 0; from < test.size(); from += workload().batchSize()) {
            int[] samples = batch(order, from / workload().batchSize());
            float[] values = network.evaluate(values(test, samples, List.of()), samples.length);
            System.arraycopy(values, 0, outputs, from * classes, values.length);
        }
        return outputs;
    }

    /// The samples of one batch; the last may be shorter.
    private int[] batch(int[] order, int step) {
        int from = step * workload().batchSize();
        int to = Math.min(order.length, from + workload().batchSize());
        return IntStream.range(from, to).map(i -> order[i]).toArray();
    }

    /// (samples, shape of one), as network input.
    ///
    /// @param changes augmentation, one for each sample; empty for none
    private float[] values(Dataset.Split split, int[] samples, List<Change> changes) {
        int elements = workload().dataset().shape().elements();
        int area = elements / workload().dataset().shape().size(0);
        float[] values = new float[samples.length * elements];
        for (int n = 0; n < samples.length; n++) {
            long sample = (long) samples[n] * elements;
            for (int i = 0; i < elements; i++) {
                values[n * elements + i] = changes.isEmpty()
                        ? value(split.samples(), sample + i, i / area)
                        : changed(split.samples(), sample + i / area * area, i, changes.get(n));
            }
        }
        return values;
    }

    private float value(Samples samples, long index, int channel) {
        return switch (samples) {
            case Samples.Pixels pixels ->
                workload()
                        .scale()
                        .channel(channel)[Byte.toUnsignedInt(pixels.memory().get(ValueLayout.JAVA_BYTE, index))];
            case Samples.Values values ->
                workload().scale().of(values.memory().getAtIndex(Samples.Values.LAYOUT, index), channel);
        };
    }

    /// One pixel after augmentation.
    ///
    /// @param plane index of its channel among the values of all samples
    /// @param at its index in the image
    private float changed(Samples samples, long plane, int at, Change change) {
        int rows = workload().dataset().shape().size(1);
        int columns = workload().dataset().shape().size(2);
        int channel = at / (rows * columns);
        int row = at / columns % rows;
        int column = at % columns;
        if (row >= change.cutTop()
                && row < change.cutBottom()
                && column >= change.cutLeft()
                && column < change.cutRight()) {
            return 0;
        }
        int fromRow = row + change.down();
        int fromColumn = (change.flipped() ? columns - 1 - column : column) + change.right();
        boolean inside = fromRow >= 0 && fromRow < rows && fromColumn >= 0 && fromColumn < columns;
        return inside
                ? value(samples, plane + fromRow * columns + fromColumn, channel)
                : workload().scale().of(0, channel); // black
    }
}
