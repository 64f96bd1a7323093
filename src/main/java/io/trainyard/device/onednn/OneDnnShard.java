package io.trainyard.device.onednn;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.SampleWeights;
import io.trainyard.device.ShardRange;
import io.trainyard.device.Workload;
import io.trainyard.device.host.BatchAssembler;
import io.trainyard.device.host.BatchLoss;
import io.trainyard.device.host.BatchMasks;
import io.trainyard.device.host.BatchShard;
import io.trainyard.device.host.GradientSum;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/// One shard of every batch, and the programs for it. Without batch norm the shard is computed in chunks, so that a
/// chunk's activations are still in the cache when the next layer and the backward pass read them. Created, used
/// and closed on one thread.
final class OneDnnShard implements BatchShard, AutoCloseable {
    /// Values (one sample's input and activations, times samples) of a chunk: 4 MiB of float32, about the size of a
    /// core's cache.
    private static final long CHUNK_ELEMENTS = 1 << 20;

    private final Workload workload;
    private final Part fullBatch;
    private final Part lastBatch;
    private final Part tests;
    private final int chunk;
    private final boolean chunked; // some batches are computed in several chunks
    private final int testChunk;
    private final Engine engine;
    private final MemoryPool values;
    private final ModelState state;
    private final Map<Integer, Program> training = new LinkedHashMap<>(); // by number of samples
    private final Map<Integer, Program> evaluation = new LinkedHashMap<>();
    private final List<ParameterMemory> trained;

    /// The sums of the gradients of several chunks, one for each of `trained`; the slots' own gradients without
    /// chunks.
    private final List<MemorySegment> gradients;

    private final ShardMasks masks;
    private final ShardBatchNorms norms;
    private final BatchAssembler assembler;
    private final float[] logits; // (chunk, classes)
    private final SampleWeights weights;
    private final BatchLoss loss;
    private long batchNanos;

    /// The samples `begin` to `end`, exclusive, of a batch or of the test samples.
    private record Part(int begin, int end) {
        static Part of(int all, ShardRange part) {
            return new Part(part.begin(all), part.end(all));
        }

        int samples() {
            return end - begin;
        }

        /// Sizes of the chunks: all equal, except that the last may be smaller.
        List<Integer> chunkSizes(int chunk) {
            if (samples() <= chunk) {
                return samples() == 0 ? List.of() : List.of(samples());
            }
            return samples() % chunk == 0 ? List.of(chunk) : List.of(chunk, samples() % chunk);
        }
    }

    /// @param ofBatch its samples of every batch
    /// @param ofTests its samples of the test part
    /// @param states creates the parameters for the shard's engine
    /// @param masks of the current batch
    /// @param norms creates the views of the batch norms
    OneDnnShard(
            Workload workload,
            ShardRange ofBatch,
            ShardRange ofTests,
            Function<Engine, ModelState> states,
            BatchMasks masks,
            Function<ModelState, ShardBatchNorms> norms) {
        this.workload = workload;
        this.masks = new ShardMasks(masks);
        fullBatch = Part.of(workload.batchSize(), ofBatch);
        lastBatch = Part.of(workload.lastBatchSize(), ofBatch);
        tests = Part.of(workload.dataset().test().size(), ofTests);
        engine = new Engine();
        values = new MemoryPool(engine::allocate);
        try {
            state = states.apply(engine);
            this.norms = norms.apply(state);
            int most = Math.max(fullBatch.samples(), lastBatch.samples()); // its share of a shorter batch may be larger
            chunk = chunk(workload, most);
            chunked = chunk < most;
            testChunk = testChunk(workload, tests.samples(), chunk);
            if (workload.trains()) {
                for (Part part : List.of(fullBatch, lastBatch)) {
                    part.chunkSizes(chunk).forEach(size -> training.computeIfAbsent(size, n -> compile(n, true)));
                }
            }
            tests.chunkSizes(testChunk).forEach(size -> evaluation.computeIfAbsent(size, n -> compile(n, false)));
            trained = state.trained();
            gradients = trained.stream()
                    .map(slot -> chunked
                            ? engine.memory(slot.value().layout()).data()
                            : slot.requireGradient().data())
                    .toList();
            assembler = new BatchAssembler(workload.dataset(), workload.scale());
            int classes = workload.network().classes();
            logits = new float[Math.max(chunk, testChunk) * classes];
            weights = workload.sampleWeights();
            loss = BatchLoss.of(workload);
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    private Program compile(int samples, boolean forTraining) {
        return Program.compile(workload, samples, forTraining, engine.program(values), state, masks, norms);
    }

    /// All chunks are as equal as possible. With a layer that needs the whole batch there is only one chunk.
    private static int chunk(Workload workload, int samples) {
        if (!workload.network().wholeBatchLayers().isEmpty()) {
            return Math.max(1, samples);
        }
        long fitting = Math.max(1, CHUNK_ELEMENTS / workload.network().activationElements());
        int chunks = Shards.count(workload.network(), samples, (int) Math.min(samples, Math.ceilDiv(samples, fitting)));
        return Math.ceilDiv(samples, Math.max(1, chunks));
    }

    /// A chunk of tests needs no more memory than one of training, unless it fits into the cache.
    private static int testChunk(Workload workload, int tests, int trainingChunk) {
        long fitting = CHUNK_ELEMENTS / workload.network().activationElements();
        long most = workload.trains() ? trainingChunk : workload.batchSize();
        return (int) Math.min(tests, Math.max(fitting, Math.max(1, most)));
    }

    ModelState state() {
        return state;
    }

    /// In the same order in every shard.
    List<ParameterMemory> trained() {
        return trained;
    }

    /// One for each of [#trained], in its layout.
    List<MemorySegment> gradients() {
        return gradients;
    }

    @Override
    public double train(int[] order, int from, int batchSize, List<Change> changes) {
        Part part = batchSize == workload.batchSize() ? fullBatch : lastBatch;
        part.chunkSizes(chunk).forEach(size -> program(training, size).prepare());
        if (part.samples() == 0) {
            gradients.forEach(gradient -> gradient.fill((byte) 0));
            norms.awaitWithoutSamples();
        }
        double batchWeight = weights.sum(workload.dataset().train(), order, from, batchSize);
        double sum = 0;
        for (int first = part.begin(); first < part.end(); first += chunk) {
            int samples = Math.min(chunk, part.end() - first);
            List<Change> own = changes.isEmpty() ? changes : changes.subList(first, first + samples);
            masks.begin(first);
            sum += train(program(training, samples), order, from + first, batchWeight, own);
            if (chunked) {
                collect(first == part.begin());
            }
        }
        return sum;
    }

    private double train(Program program, int[] order, int from, double batchWeight, List<Change> changes) {
        Dataset.Split train = workload.dataset().train();
        int samples = program.batchSize();
        long assembling = System.nanoTime();
        assembler.assemble(train, order, from, samples, changes, program.input().data());
        batchNanos += System.nanoTime() - assembling;
        program.runForward();
        program.logits().read(logits);
        double sum = loss.lossWithGradient(logits, train, order, from, samples, batchWeight);
        program.logitsGradient().write(logits);
        program.runBackward();
        return sum;
    }

    private void collect(boolean first) {
        for (int i = 0; i < gradients.size(); i++) {
            MemorySegment gradient = trained.get(i).requireGradient().data();
            if (first) {
                gradients.get(i).copyFrom(gradient);
            } else {
                GradientSum.add(gradients.get(i), gradient);
            }
        }
    }

    private static Program program(Map<Integer, Program> programs, int samples) {
        return Objects.requireNonNull(programs.get(samples));
    }

    @Override
    public long batchNanos() {
        return batchNanos;
    }

    @Override
    public void test(int[] order, OutputReader reader) {
        Dataset.Split test = workload.dataset().test();
        evaluation.values().forEach(Program::prepare);
        for (int from = tests.begin(); from < tests.end(); from += testChunk) {
            int samples = Math.min(testChunk, tests.end() - from);
            Program program = program(evaluation, samples);
            assembler.assemble(
                    test, order, from, samples, List.of(), program.input().data());
            program.runForward();
            program.logits().read(logits);
            reader.read(loss, logits, from, samples);
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
