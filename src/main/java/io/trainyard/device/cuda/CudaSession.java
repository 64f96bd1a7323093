package io.trainyard.device.cuda;

import io.trainyard.data.Dataset;
import io.trainyard.device.DeviceException;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.Compilation.Part;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Kernels;
import io.trainyard.device.cuda.driver.Status;
import io.trainyard.spec.Network;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import jcuda.Pointer;
import jcuda.jcublas.JCublas2;
import org.jspecify.annotations.Nullable;

/// Everything on one GPU: the data set as bytes, the parameters, and for each size of batch a step recorded as a
/// graph, so that the host only launches graphs and, now and then, reads losses.
///
/// First all that is needed is described and its memory added up, then it is allocated at once. Programs share the
/// memory of their activations: only one runs at a time.
final class CudaSession implements LearningSession {
    /// Left to the driver and the libraries: recorded graphs and code take memory that nobody tells.
    private static final long MARGIN_BYTES = 64L << 20;

    /// Activations of a test batch; more samples at a time would not be faster.
    private static final long TEST_BATCH_BYTES = 64L << 20;

    private static final int MAX_TEST_BATCH = 1024;

    /// cuBLAS's scratch memory, as PyTorch gives it: 32 MiB from Hopper on, 8 MiB before.
    private static final int HOPPER = 90;

    private static final long HOPPER_BLAS_BYTES = 32L << 20;
    private static final long BLAS_BYTES = 8L << 20;

    private final Workload workload;
    private final Gpu gpu;
    private final Arena arena;
    private final CudaModel model;
    private final Map<Integer, TrainingProgram> training = new LinkedHashMap<>(); // by the batch's samples
    private final Map<Integer, TestProgram> tests = new LinkedHashMap<>();
    private final int testBatch;
    private final TrainingData trainingData;
    private final TestData testData;
    private final Buffer step;
    private final Buffer testStep;
    private final Buffer losses; // one for each step of the epoch
    private final Buffer scalars;
    private final TestProgram.Results results;
    private @Nullable EpochPlan plan;
    private int nextStep;
    private boolean scalarsAreStale = true;
    private boolean closed;

    CudaSession(Workload workload, int number) {
        this.workload = workload;
        Network network = workload.network();
        Numbers numbers = Numbers.of(workload.precision());
        gpu = new Gpu(number);
        try {
            Kernels kernels = new Kernels(gpu, KernelSource.text(), numbers.options());
            arena = new Arena(gpu);
            model = new CudaModel(network.parameters(), workload.optimizer(), arena);
            step = arena.reserve(Integer.BYTES, "the step's number");
            testStep = arena.reserve(Integer.BYTES, "the test batch's number");
            losses = arena.reserve((long) workload.stepsPerEpoch() * Float.BYTES, "the losses");
            scalars = arena.reserve(losses.bytes() * StepScalars.OF_STEP, "the update's numbers");
            testBatch = testBatch(workload);
            results = results(network.classes());

            Descriptors descriptors = new Descriptors(gpu, numbers);
            Workspace workspace = new Workspace();
            Masks masks = new Masks(network, workload.batchSize());
            long shared = arena.mark();
            for (int samples : new int[] {workload.batchSize(), workload.lastBatchSize()}) {
                training.computeIfAbsent(samples, n -> {
                    arena.rewind(shared);
                    Compilation c = new Compilation(
                            gpu, kernels, arena, numbers, model, workspace, masks, step, new Part(n, 0, n), true);
                    return new TrainingProgram(network, workload.batchSize(), c, descriptors);
                });
            }
            int lastTestBatch = (workload.dataset().test().size() - 1) % testBatch + 1;
            for (int samples : new int[] {testBatch, lastTestBatch}) {
                tests.computeIfAbsent(samples, n -> {
                    arena.rewind(shared);
                    Compilation c = new Compilation(
                            gpu, kernels, arena, numbers, model, workspace, masks, testStep, new Part(n, 0, n), false);
                    return new TestProgram(network, testBatch, c, descriptors);
                });
            }
            arena.rewind(arena.need());
            workspace.reserve(arena);
            Buffer blasWorkspace = arena.reserve(
                    gpu.architecture() >= HOPPER ? HOPPER_BLAS_BYTES : BLAS_BYTES, "the workspace of cuBLAS");
            boolean resident = residentBytes() + arena.need() + MARGIN_BYTES <= gpu.freeBytes();
            trainingData = new TrainingData(workload, masks, resident, gpu, arena);
            testData = new TestData(workload.dataset(), testBatch, resident, gpu, arena);
            requireMemory();
            arena.allocate();
            Status.blas(
                    JCublas2.cublasSetWorkspace(gpu.blas(), gpu.at(blasWorkspace), blasWorkspace.bytes()),
                    "cublasSetWorkspace");
            Status.blas(JCublas2.cublasSetMathMode(gpu.blas(), numbers.blasMath()), "cublasSetMathMode");
            record();
            arena.clear();
            trainingData.upload();
            testData.upload();
        } catch (RuntimeException | Error e) {
            gpu.close();
            throw e;
        }
    }

    private static int testBatch(Workload workload) {
        long fitting = TEST_BATCH_BYTES / Float.BYTES / workload.network().activationElements();
        int tests = workload.dataset().test().size();
        return (int) Math.min(tests, Math.max(workload.batchSize(), Math.min(fitting, MAX_TEST_BATCH)));
    }

    private TestProgram.Results results(int classes) {
        return new TestProgram.Results(
                arena.reserve((long) workload.dataset().test().size() * Float.BYTES, "the test samples' losses"),
                arena.reserve((long) classes * classes * Integer.BYTES, "the confusion matrix"),
                arena.reserve((long) testBatch * classes * Float.BYTES, "the probabilities"),
                arena.reserve(Integer.BYTES, "a zero"));
    }

    private long residentBytes() {
        Dataset dataset = workload.dataset();
        return (long) dataset.train().pixels().length + dataset.test().pixels().length;
    }

    private void requireMemory() {
        long free = gpu.freeBytes();
        if (arena.need() + MARGIN_BYTES > free) {
            throw new DeviceException(
                    "the job needs %d MiB on %s for batches of %d, but %d MiB are free there; choose a smaller batchSize or network, or free the GPU: nvidia-smi shows who uses it"
                            .formatted(
                                    Math.ceilDiv(arena.need() + MARGIN_BYTES, 1 << 20),
                                    gpu,
                                    workload.batchSize(),
                                    free >> 20));
        }
    }

    /// Runs everything once on zeros, then records it.
    private void record() {
        CudaUpdate update = new CudaUpdate(workload.optimizer(), scalars);
        training.values().forEach(program -> program.run(trainingData, update, losses));
        step.clear();
        training.values().forEach(program -> program.record(trainingData, update, losses));
        tests.values().forEach(program -> program.run(testData, trainingData.table(), results));
        tests.values().forEach(program -> program.record(testData, trainingData.table(), results));
        gpu.compute().synchronize();
    }

    /// None but the one that launches.
    @Override
    public int threads() {
        return 1;
    }

    @Override
    public void load(SessionState state) {
        enter();
        model.load(state);
        scalarsAreStale = true;
    }

    @Override
    public SessionState save() {
        enter();
        return model.save();
    }

    @Override
    public void beginEpoch(EpochPlan newPlan, int firstStep) {
        enter();
        workload.requirePlan(newPlan, firstStep);
        newPlan.random().skip(workload.drawnWords(firstStep));
        plan = newPlan;
        nextStep = firstStep;
        trainingData.begin(newPlan);
        step.write(Pointer.to(new int[] {firstStep}));
        scalarsAreStale = true;
    }

    @Override
    public float[] advance(int steps) {
        enter();
        EpochPlan epoch = plan;
        if (epoch == null) {
            throw new IllegalStateException("no epoch has begun; call beginEpoch first");
        }
        workload.requireStepsLeft(nextStep, steps);
        int first = nextStep;
        if (scalarsAreStale) {
            scalars.write(
                    Pointer.to(StepScalars.of(workload.optimizer(), epoch.learningRates(), first, model.steps())));
            scalarsAreStale = false;
        }
        for (int left = steps; left > 0; ) {
            int block = Math.min(left, trainingData.blockSteps());
            trainingData.send(epoch, nextStep, block);
            for (int i = 0; i < block; i++) {
                program(nextStep).launch();
                nextStep++;
            }
            trainingData.given();
            left -= block;
        }
        model.countSteps(steps);
        float[] stepLosses = new float[steps];
        losses.slice((long) first * Float.BYTES, (long) steps * Float.BYTES, "losses")
                .read(Pointer.to(stepLosses));
        return stepLosses;
    }

    private TrainingProgram program(int stepOfEpoch) {
        boolean last = stepOfEpoch == workload.stepsPerEpoch() - 1;
        return Objects.requireNonNull(training.get(last ? workload.lastBatchSize() : workload.batchSize()));
    }

    @Override
    public Evaluation evaluate() {
        enter();
        int classes = workload.network().classes();
        results.confusion().clear();
        runTests((_, _) -> {});
        int[] counts = new int[classes * classes];
        results.confusion().read(Pointer.to(counts));
        float[] sampleLosses = new float[workload.dataset().test().size()];
        results.sampleLosses().read(Pointer.to(sampleLosses));
        int[][] confusion = new int[classes][];
        Arrays.setAll(confusion, label -> Arrays.copyOfRange(counts, label * classes, (label + 1) * classes));
        return Evaluation.of(workload.batchSize(), sampleLosses, confusion);
    }

    @Override
    public float[] predict() {
        enter();
        int classes = workload.network().classes();
        float[] all = new float[Math.multiplyExact(workload.dataset().test().size(), classes)];
        runTests((from, samples) -> {
            float[] batch = new float[samples * classes];
            results.probabilities()
                    .slice(0, (long) batch.length * Float.BYTES, "probabilities")
                    .read(Pointer.to(batch));
            System.arraycopy(batch, 0, all, from * classes, batch.length);
        });
        return all;
    }

    private interface TestBatchReader {
        void read(int from, int samples);
    }

    private void runTests(TestBatchReader reader) {
        testStep.clear();
        int size = workload.dataset().test().size();
        int batches = Math.ceilDiv(size, testBatch);
        for (int first = 0; first < batches; ) {
            int block = Math.min(batches - first, testData.blockBatches());
            testData.send(first, block);
            for (int batch = first; batch < first + block; batch++) {
                int from = batch * testBatch;
                int samples = Math.min(testBatch, size - from);
                Objects.requireNonNull(tests.get(samples)).launch();
                reader.read(from, samples);
            }
            testData.given();
            first += block;
        }
    }

    private void enter() {
        if (closed) {
            throw new IllegalStateException("the session is closed; open another");
        }
        gpu.enter();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            gpu.close();
        }
    }
}
