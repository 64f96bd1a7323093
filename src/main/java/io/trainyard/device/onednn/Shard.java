package io.trainyard.device.onednn;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.Workload;
import io.trainyard.device.host.BatchAssembler;
import io.trainyard.device.host.CrossEntropy;
import io.trainyard.random.TorchRandom;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One part of every batch, and the programs for it: training with a full batch and with an epoch's shorter last
/// one, evaluation in chunks and the shorter last one. Made, used and closed on one thread.
final class Shard implements AutoCloseable {
    /// Values (one sample's input and activations, times samples) that an evaluation chunk may have when that is
    /// more than a batch: 4 MiB of float32, about what stays in a core's cache.
    private static final long EVALUATION_ELEMENTS = 1 << 20;

    private final Workload workload;
    private final Part fullBatch;
    private final Part lastBatch;
    private final Part tests;
    private final Engine engine;
    private final ModelState state;
    private final @Nullable Program training;
    private final @Nullable Program lastTraining;
    private final @Nullable Program evaluation;
    private final @Nullable Program lastEvaluation;
    private final List<Slot> trained;
    private final BatchAssembler assembler;
    private final float[] logits; // (batch, classes)
    private final CrossEntropy crossEntropy;

    /// The samples `begin` to `end`, without it, of a batch or of the test set.
    private record Part(int begin, int end) {
        static Part of(int all, int shard, int count) {
            return new Part(Shards.begin(all, shard, count), Shards.begin(all, shard + 1, count));
        }

        int samples() {
            return end - begin;
        }
    }

    /// @param parameters the first shard's state; null for the first itself
    /// @param random where dropout draws its masks from at the time it runs
    Shard(Workload workload, int shard, int count, @Nullable ModelState parameters, Supplier<TorchRandom> random) {
        this.workload = workload;
        fullBatch = Part.of(workload.batchSize(), shard, count);
        lastBatch = Part.of(workload.lastBatchSize(), shard, count);
        tests = Part.of(workload.dataset().test().size(), shard, count);
        engine = new Engine();
        try {
            state = parameters == null
                    ? new ModelState(engine, workload.network().parameters(), workload.optimizer())
                    : parameters.withGradientsOf(engine);
            training = compile(fullBatch.samples(), true, random);
            lastTraining =
                    lastBatch.samples() == fullBatch.samples() ? training : compile(lastBatch.samples(), true, random);
            int chunk = evaluationChunk(workload, tests.samples());
            evaluation = compile(chunk, false, random);
            lastEvaluation = chunk == 0 || tests.samples() % chunk == 0
                    ? evaluation
                    : compile(tests.samples() % chunk, false, random);
            trained = state.trained();
            assembler = new BatchAssembler(workload.dataset(), workload.scale());
            int classes = workload.network().classes();
            logits = new float[Math.max(fullBatch.samples(), chunk) * classes];
            crossEntropy = new CrossEntropy(classes);
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    /// Null for a part without samples.
    private @Nullable Program compile(int samples, boolean training, Supplier<TorchRandom> random) {
        return samples == 0 ? null : Program.compile(workload.network(), samples, training, engine, state, random);
    }

    private static int evaluationChunk(Workload workload, int tests) {
        long fitting = EVALUATION_ELEMENTS / workload.network().activationElements();
        return (int) Math.min(tests, Math.max(fitting, workload.batchSize()));
    }

    ModelState state() {
        return state;
    }

    /// In the same order in every shard.
    List<Slot> trained() {
        return trained;
    }

    /// Leaves the shard's gradients of the batch's mean loss.
    ///
    /// @param from the batch's first sample, in `order`
    /// @param batchSize samples of the whole batch
    /// @param changes what becomes of the batch's samples; empty to leave them as they are
    /// @return the sum of the samples' losses
    double train(int[] order, int from, int batchSize, List<Change> changes) {
        boolean full = batchSize == workload.batchSize();
        Part part = full ? fullBatch : lastBatch;
        Program program = full ? training : lastTraining;
        if (program == null) {
            trained.forEach(slot -> slot.requireGradient().data().fill((byte) 0));
            return 0;
        }
        Dataset.Split train = workload.dataset().train();
        int first = from + part.begin();
        List<Change> own = changes.isEmpty() ? changes : changes.subList(part.begin(), part.end());
        assembler.assemble(
                train, order, first, part.samples(), own, program.input().data());
        program.prepare();
        program.runForward();
        program.logits().read(logits);
        double loss = crossEntropy.lossWithGradient(logits, train, order, first, part.samples(), batchSize);
        program.logitsGradient().write(logits);
        program.runBackward();
        return loss;
    }

    /// Takes in the logits of some test samples, while they are there; called by several threads.
    interface LogitsReader {
        /// @param logits (samples, classes), row-major
        /// @param from the first sample
        void read(CrossEntropy crossEntropy, float[] logits, int from, int samples);
    }

    /// Runs the shard's part of the test set forward.
    ///
    /// @param order of the whole test set
    void test(int[] order, LogitsReader reader) {
        Program program = evaluation;
        Program last = lastEvaluation;
        if (program == null || last == null) {
            return;
        }
        program.prepare();
        last.prepare();
        for (int from = tests.begin(); from < tests.end(); from += program.batchSize()) {
            Program next = from + program.batchSize() <= tests.end() ? program : last;
            int samples = next.batchSize();
            Dataset.Split test = workload.dataset().test();
            assembler.assemble(
                    test, order, from, samples, List.of(), next.input().data());
            next.runForward();
            next.logits().read(logits);
            reader.read(crossEntropy, logits, from, samples);
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
