package io.trainyard.device.reference;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A step is: gather a batch, all layers forward, the loss, all layers backward, the optimizer.
final class ReferenceSession implements LearningSession {
    private final Workload workload;
    private final int classes;
    private final ReferenceState state;
    private final ReferenceChain network;
    private final ReferenceOptimizer optimizer;
    private @Nullable EpochPlan plan;
    private int nextStep;
    private boolean closed;

    ReferenceSession(Workload workload) {
        this.workload = workload;
        this.classes = workload.network().classes();
        this.state = new ReferenceState(workload.network().parameters(), workload.optimizer());
        this.network = ReferenceChain.of(workload.network().layers(), state);
        this.optimizer = ReferenceOptimizer.of(workload.optimizer(), state);
    }

    /// Always 1, whatever the workload asks for.
    @Override
    public int threads() {
        return 1;
    }

    @Override
    public void load(SessionState newState) {
        requireOpen();
        state.load(newState);
    }

    @Override
    public SessionState save() {
        requireOpen();
        return state.save();
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
        float[] losses = new float[steps];
        for (int i = 0; i < steps; i++) {
            losses[i] = step(epoch, batch(epoch.order(), nextStep));
            nextStep++;
        }
        return losses;
    }

    private float step(EpochPlan epoch, int[] samples) {
        Dataset.Split train = workload.dataset().train();
        int[] labels = IntStream.of(samples)
                .map(sample -> Byte.toUnsignedInt(train.labels()[sample]))
                .toArray();

        List<Change> changes = workload.augmentation().draw(epoch.random(), samples.length);
        float[] values = network.train(pixels(train, samples, changes), samples.length, epoch.random());

        double loss = 0;
        for (int n = 0; n < samples.length; n++) {
            loss += CrossEntropy.loss(values, n * classes, classes, labels[n]);
        }

        var _ = network.backward(CrossEntropy.gradient(values, classes, labels), samples.length);
        optimizer.step(epoch.learningRates()[nextStep]);
        return Workload.meanLoss(loss, samples.length);
    }

    @Override
    public Evaluation evaluate() {
        requireOpen();
        Dataset.Split test = workload.dataset().test();
        float[] logits = testLogits();
        float[] losses = new float[test.size()];
        int[] predictions = new int[test.size()];
        for (int n = 0; n < test.size(); n++) {
            int label = Byte.toUnsignedInt(test.labels()[n]);
            losses[n] = (float) CrossEntropy.loss(logits, n * classes, classes, label);
            predictions[n] = CrossEntropy.prediction(logits, n * classes, classes);
        }
        return Evaluation.of(workload.batchSize(), classes, losses, predictions, test.labels());
    }

    @Override
    public float[] predict() {
        requireOpen();
        return CrossEntropy.probabilities(testLogits(), classes);
    }

    /// (samples, classes)
    private float[] testLogits() {
        Dataset.Split test = workload.dataset().test();
        float[] logits = new float[Math.multiplyExact(test.size(), classes)];
        int[] order = IntStream.range(0, test.size()).toArray();
        for (int from = 0; from < test.size(); from += workload.batchSize()) {
            int[] samples = batch(order, from / workload.batchSize());
            float[] values = network.evaluate(pixels(test, samples, List.of()), samples.length);
            System.arraycopy(values, 0, logits, from * classes, values.length);
        }
        return logits;
    }

    /// The samples of one batch; the last may be shorter.
    private int[] batch(int[] order, int step) {
        int from = step * workload.batchSize();
        int to = Math.min(order.length, from + workload.batchSize());
        return IntStream.range(from, to).map(i -> order[i]).toArray();
    }

    /// (samples, channels, rows, columns), as the network takes them.
    ///
    /// @param changes by augmentation, one a sample; empty for none
    private float[] pixels(Dataset.Split split, int[] samples, List<Change> changes) {
        int channels = workload.dataset().shape().size(0);
        int elements = workload.dataset().shape().elements();
        int area = elements / channels;
        float[] values = new float[samples.length * elements];
        for (int n = 0; n < samples.length; n++) {
            for (int i = 0; i < elements; i++) {
                float[] table = workload.scale().channel(i / area);
                int image = samples[n] * elements;
                values[n * elements + i] = changes.isEmpty()
                        ? table[Byte.toUnsignedInt(split.pixels()[image + i])]
                        : changed(split.pixels(), image + i / area * area, i % area, changes.get(n), table);
            }
        }
        return values;
    }

    /// One pixel after augmentation.
    ///
    /// @param channel where its channel begins in `pixels`
    /// @param at its place in the channel
    private float changed(byte[] pixels, int channel, int at, Change change, float[] table) {
        int rows = workload.dataset().shape().size(1);
        int columns = workload.dataset().shape().size(2);
        int row = at / columns;
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
        return table[inside ? Byte.toUnsignedInt(pixels[channel + fromRow * columns + fromColumn]) : 0];
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the session is closed; open another");
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
