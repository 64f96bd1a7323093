package io.trainyard.device.cuda;

import io.trainyard.data.Dataset;
import io.trainyard.device.DeviceChoices;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.ShardRange;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.CudaStatus;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Kernels;
import io.trainyard.device.cuda.layer.BatchNormExchange;
import io.trainyard.device.cuda.layer.Compilation;
import io.trainyard.device.cuda.layer.Compilation.Part;
import io.trainyard.device.cuda.layer.ConvolutionPlans;
import io.trainyard.device.cuda.layer.LibraryWarmUp;
import io.trainyard.device.cuda.layer.Masks;
import io.trainyard.device.cuda.layer.Numbers;
import io.trainyard.device.cuda.layer.Workspace;
import io.trainyard.device.cuda.library.CudaLibraries;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Network;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import jcuda.jcublas.JCublas2;
import org.jspecify.annotations.Nullable;

/// A workload compiled for one GPU. First all buffers are described and their sizes added, then the memory is
/// allocated at once. Programs for different batch sizes share the memory of their activations, because only one
/// runs at a time.
final class Programs {
    /// Reserve for the driver and the libraries after warm-up: recorded graphs and the code of other algorithms
    /// need an unknown amount of memory.
    private static final long MARGIN_BYTES = 64L << 20;

    private static final long TEST_BATCH_BYTES = 64L << 20;

    /// Images of a test batch: two such batches are on the device at a time, unless all are.
    private static final long TEST_IMAGE_BYTES = 8L << 20;

    /// More samples at a time would not be faster.
    private static final int MAX_TEST_BATCH = 1024;

    /// cuBLAS's scratch memory, as PyTorch sets it: 32 MiB from Hopper on, 8 MiB before.
    private static final int HOPPER = 90;

    private static final long HOPPER_BLAS_BYTES = 32L << 20;
    private static final long BLAS_BYTES = 8L << 20;

    private final Workload workload;
    private final Gpu gpu;
    private final Map<Integer, TrainingProgram> training = new LinkedHashMap<>(); // by samples of the whole batch
    private final Map<Integer, TestProgram> tests = new LinkedHashMap<>();
    private final Masks masks;
    private final int testBatch;
    private final CudaModel model;
    private final GpuExchange exchange;
    private final BatchNormExchange norms;
    private final TrainingData trainingData;
    private final TestData testData;
    private final Buffer step;
    private final Buffer testStep;
    private final Buffer losses; // one for each step of the epoch
    private final Buffer scalars;
    private final CudaUpdate.@Nullable Norm norm;
    private final CudaLoss loss;
    private final Buffer predictions; // of a test batch
    private final ConvolutionPlans plans;
    private final int stepsPerGraph; // the most for full batches

    /// @param batchPart the part of every training batch that the GPU computes
    Programs(Workload workload, Gpu gpu, ShardRange batchPart) {
        this.workload = workload;
        this.gpu = gpu;
        Network network = workload.network();
        Numbers numbers = Numbers.of(workload.precision(), network);
        Kernels kernels = new Kernels(gpu, KernelSource.text(), numbers.options());
        Arena arena = new Arena(gpu);
        model = new CudaModel(network.parameters(), workload.update(), arena);
        exchange = new GpuExchange(gpu, kernels, model, batchPart, arena);
        norms = new BatchNormExchange(network, batchPart, gpu, arena);
        step = arena.reserve(Integer.BYTES, "the step's number");
        testStep = arena.reserve(Integer.BYTES, "the test batch's number");
        losses = arena.reserve((long) workload.stepsPerEpoch() * Float.BYTES, "the losses");
        loss = CudaLoss.of(workload, arena);
        scalars = arena.reserve(
                losses.bytes() * StepScalars.OF_STEP * workload.optimizer().groupCount(), "the update's numbers");
        norm = CudaUpdate.Norm.of(workload.update(), arena);
        testBatch = testBatch();
        predictions = arena.reserve((long) testBatch * network.classes() * Float.BYTES, "the predictions");

        plans = new ConvolutionPlans(gpu, CudaSettings.ofProcess().timesAlgorithms(), kind(gpu), workload.choices());
        Workspace workspace = new Workspace(gpu);
        masks = new Masks(network, workload.batchSize());
        long shared = arena.mark();
        for (int samples : new int[] {workload.batchSize(), workload.lastBatchSize()}) {
            training.computeIfAbsent(samples, n -> {
                arena.rewind(shared);
                Part part = new Part(n, batchPart.begin(n), batchPart.size(n));
                Compilation c = new Compilation(
                        gpu, kernels, arena, numbers, model, workspace, plans, norms, masks, step, part, true);
                return new TrainingProgram(workload, loss, model, c);
            });
        }
        for (int samples : new int[] {testBatch, lastTestBatch()}) {
            tests.computeIfAbsent(samples, n -> {
                arena.rewind(shared);
                Compilation c = new Compilation(
                        gpu,
                        kernels,
                        arena,
                        numbers,
                        model,
                        workspace,
                        plans,
                        norms,
                        masks,
                        testStep,
                        new Part(n, 0, n),
                        false);
                return new TestProgram(network, testBatch, loss, c);
            });
        }
        arena.rewind(arena.need());
        workspace.reserve(arena);
        Buffer blasWorkspace = blasWorkspace(arena);
        Buffer forkedBlasWorkspace = gpu.forks() ? blasWorkspace(arena) : blasWorkspace;
        LibraryWarmUp.run(gpu, numbers, convolves(network));
        boolean resident = imageBytes() + arena.need() + MARGIN_BYTES <= gpu.freeBytes();
        trainingData = new TrainingData(workload, masks, resident, gpu, arena);
        testData = new TestData(workload, testBatch, resident, gpu, arena);
        requireMemory(arena.need());
        arena.allocate();
        prepareBlas(blasWorkspace, numbers);
        gpu.fork(() -> prepareBlas(forkedBlasWorkspace, numbers));
        gpu.join();
        record(batchPart.count() > 1);
        stepsPerGraph = batchPart.count() > 1 ? 1 : recordSeveral(numbers);
        arena.clear();
        loss.upload();
        trainingData.upload();
        testData.upload();
    }

    /// The same size for each stream, because the summation order of cuBLAS may depend on it.
    private Buffer blasWorkspace(Arena arena) {
        return arena.reserve(gpu.architecture() >= HOPPER ? HOPPER_BLAS_BYTES : BLAS_BYTES, "the workspace of cuBLAS");
    }

    private void prepareBlas(Buffer workspace, Numbers numbers) {
        CudaStatus.blas(
                JCublas2.cublasSetWorkspace(gpu.blas(), gpu.at(workspace), workspace.bytes()), "cublasSetWorkspace");
        CudaStatus.blas(JCublas2.cublasSetMathMode(gpu.blas(), numbers.blasMath()), "cublasSetMathMode");
    }

    private static boolean convolves(Network network) {
        return network.allLayers().stream().anyMatch(layer -> layer.spec() instanceof Conv2d);
    }

    /// All that affects the availability and speed of cuDNN's engines.
    private static String kind(Gpu gpu) {
        return "%s, cuDNN %s".formatted(gpu.name(), CudaLibraries.loaded().dnn().version());
    }

    private int testBatch() {
        long computable = TEST_BATCH_BYTES / Float.BYTES / workload.network().activationElements();
        long sendable = TEST_IMAGE_BYTES / workload.dataset().sampleBytes();
        long best = Math.min(Math.min(computable, sendable), MAX_TEST_BATCH);
        return (int) Math.min(workload.dataset().test().size(), Math.max(workload.batchSize(), best));
    }

    private int lastTestBatch() {
        return (workload.dataset().test().size() - 1) % testBatch + 1;
    }

    private long imageBytes() {
        Dataset dataset = workload.dataset();
        return dataset.train().samples().memory().byteSize()
                + dataset.test().samples().memory().byteSize();
    }

    private void requireMemory(long need) {
        long free = gpu.freeBytes();
        if (need + MARGIN_BYTES > free) {
            throw new DeviceMemoryException(
                    "the job needs %d MiB on %s for batches of %d, but %d MiB are free there; choose a smaller batchSize or network, or free the GPU: nvidia-smi shows the processes that use it"
                            .formatted(
                                    Math.ceilDiv(need + MARGIN_BYTES, 1 << 20), gpu, workload.batchSize(), free >> 20));
        }
    }

    private CudaUpdate update() {
        return new CudaUpdate(workload.update(), scalars, model, exchange, norm);
    }

    /// Runs everything once on zeros, because a library's first call may allocate, and records it.
    private void record(boolean inTwo) {
        CudaUpdate update = update();
        for (TrainingProgram program : training.values()) {
            step.clear();
            program.record(trainingData, update, losses, inTwo);
        }
        tests.values().forEach(program -> program.record(testData, trainingData.table(), predictions));
        gpu.compute().synchronize();
    }

    /// Records several full batches as one graph if that is faster.
    ///
    /// @return their number
    private int recordSeveral(Numbers numbers) {
        TrainingProgram full = Objects.requireNonNull(training.get(workload.batchSize()));
        int wanted = CudaSettings.ofProcess()
                .stepsPerGraph()
                .orElseGet(() -> StepsPerGraph.of(full.nodes(), workload, numbers.valueBytes()));
        int steps = StepsPerGraph.possible(wanted, workload, trainingData.blockSteps());
        if (steps > 1) {
            full.recordSeveral(steps, trainingData, update(), losses);
        }
        return steps;
    }

    /// Enqueues a step, or only its gradients if the update is separate, and the following steps of the same graph
    /// if they may all be enqueued now.
    ///
    /// @param end one past the last step that may be enqueued
    /// @return number of enqueued steps
    int launch(int stepOfEpoch, int end) {
        int full = workload.dataset().train().size() / workload.batchSize();
        boolean beginsGroup = stepOfEpoch % workload.loop().accumulateSteps() == 0;
        if (stepsPerGraph > 1 && beginsGroup && stepOfEpoch + stepsPerGraph <= Math.min(full, end)) {
            ofStep(stepOfEpoch).launchSeveral();
            return stepsPerGraph;
        }
        ofStep(stepOfEpoch).launch(workload.updatesAt(stepOfEpoch));
        return 1;
    }

    TrainingProgram ofStep(int stepOfEpoch) {
        return Objects.requireNonNull(training.get(workload.samples(stepOfEpoch)));
    }

    TestProgram ofTests(int samples) {
        return Objects.requireNonNull(tests.get(samples));
    }

    /// Samples of a test batch; the last may be shorter.
    int testBatchSize() {
        return testBatch;
    }

    CudaModel model() {
        return model;
    }

    GpuExchange exchange() {
        return exchange;
    }

    BatchNormExchange norms() {
        return norms;
    }

    DeviceChoices choices() {
        return plans.choices();
    }

    TrainingData trainingData() {
        return trainingData;
    }

    TestData testData() {
        return testData;
    }

    /// On the device: the number of the next step in the epoch.
    Buffer step() {
        return step;
    }

    /// On the device: the number of the next test batch.
    Buffer testStep() {
        return testStep;
    }

    Buffer losses() {
        return losses;
    }

    Buffer scalars() {
        return scalars;
    }

    CudaLoss loss() {
        return loss;
    }

    /// Of the current test batch, (samples, outputs).
    Buffer predictions() {
        return predictions;
    }
}
