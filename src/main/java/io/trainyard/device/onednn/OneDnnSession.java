package io.trainyard.device.onednn;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.host.BatchAssembler;
import io.trainyard.device.host.CrossEntropy;
import io.trainyard.device.host.ParameterUpdate;
import io.trainyard.random.TorchRandom;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The programs of one workload: training with the full batch and with an epoch's shorter last one, evaluation in
/// chunks and the shorter last one. The first chooses the layouts of the parameters, which all share.
final class OneDnnSession implements LearningSession {
    /// Values (one sample's input and activations, times samples) that an evaluation chunk may have when that is more
    /// than a batch: 4 MiB of float32, about what stays in a core's cache.
    private static final long EVALUATION_ELEMENTS = 1 << 20;

    private final Workload workload;
    private final OneDnnLibrary library;
    private final int threads;
    private final Thread owner = Thread.currentThread();
    private final Engine engine;
    private final ModelState state;
    private final Program fullBatch;
    private final Program lastBatch;
    private final Program evaluation;
    private final Program lastEvaluation;
    private final List<Slot> trained;
    private final BatchAssembler assembler;
    private final float[] logits; // (batch, classes)
    private final CrossEntropy crossEntropy;
    private @Nullable EpochPlan plan;
    private int nextStep;
    private boolean closed;

    OneDnnSession(Workload workload, OneDnnLibrary library, int threads) {
        this.workload = workload;
        this.library = library;
        this.threads = threads;
        library.setThreads(threads);
        engine = new Engine();
        try {
            state = new ModelState(engine, workload.network().parameters(), workload.optimizer());
            fullBatch = compile(workload.batchSize(), true);
            lastBatch = workload.lastBatchSize() == workload.batchSize()
                    ? fullBatch
                    : compile(workload.lastBatchSize(), true);
            int tests = workload.dataset().test().size();
            int chunk = evaluationChunk(workload, tests);
            evaluation = compile(chunk, false);
            lastEvaluation = tests % chunk == 0 ? evaluation : compile(tests % chunk, false);
            trained = state.trained();
            int samples = Math.max(workload.batchSize(), chunk);
            assembler = new BatchAssembler(workload.dataset(), workload.scale());
            logits = new float[samples * workload.network().classes()];
            crossEntropy = new CrossEntropy(workload.network().classes());
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    private Program compile(int batchSize, boolean training) {
        return Program.compile(workload.network(), batchSize, training, engine, state, this::random);
    }

    private static int evaluationChunk(Workload workload, int tests) {
        long fitting = EVALUATION_ELEMENTS / workload.network().activationElements();
        return (int) Math.min(tests, Math.max(fitting, workload.batchSize()));
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
        float[] losses = new float[steps];
        for (int i = 0; i < steps; i++) {
            losses[i] = step(epoch);
            nextStep++;
        }
        return losses;
    }

    private float step(EpochPlan epoch) {
        Program program = nextStep == workload.stepsPerEpoch() - 1 ? lastBatch : fullBatch;
        int from = nextStep * workload.batchSize();
        int samples = program.batchSize();
        Dataset.Split train = workload.dataset().train();
        List<Augmentation.Change> changes = workload.augmentation().draw(epoch.random(), samples);
        assembler.assemble(
                train, epoch.order(), from, samples, changes, program.input().data());
        program.prepare();
        program.runForward();
        program.logits().read(logits);
        double loss = crossEntropy.lossWithGradient(logits, train, epoch.order(), from, samples, samples);
        program.logitsGradient().write(logits);
        program.runBackward();
        double learningRate = epoch.learningRates()[nextStep];
        ParameterUpdate update = ParameterUpdate.of(workload.optimizer(), learningRate, state.countStep());
        trained.forEach(slot -> slot.apply(update));
        return (float) (loss / samples);
    }

    @Override
    public Evaluation evaluate() {
        enter();
        Dataset.Split test = workload.dataset().test();
        float[] losses = new float[test.size()];
        int[] predictions = new int[test.size()];
        runTest((from, samples) -> crossEntropy.evaluate(logits, test, from, samples, losses, predictions));
        return Evaluation.of(workload.batchSize(), workload.network().classes(), losses, predictions, test.labels());
    }

    @Override
    public float[] predict() {
        enter();
        int tests = workload.dataset().test().size();
        float[] probabilities =
                new float[Math.multiplyExact(tests, workload.network().classes())];
        runTest((from, samples) -> crossEntropy.probabilities(logits, from, samples, probabilities));
        return probabilities;
    }

    /// Takes in the logits of some test samples, while they are there.
    private interface LogitsReader {
        /// @param from the first sample
        void read(int from, int samples);
    }

    private void runTest(LogitsReader reader) {
        Dataset.Split test = workload.dataset().test();
        int[] order = IntStream.range(0, test.size()).toArray();
        evaluation.prepare();
        lastEvaluation.prepare();
        for (int from = 0; from < test.size(); from += evaluation.batchSize()) {
            Program program = from + evaluation.batchSize() <= test.size() ? evaluation : lastEvaluation;
            int samples = program.batchSize();
            assembler.assemble(
                    test, order, from, samples, List.of(), program.input().data());
            program.runForward();
            program.logits().read(logits);
            reader.read(from, samples);
        }
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
        library.setThreads(threads);
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
            engine.close();
        }
    }
}
