package io.trainyard.device.cuda;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.EvenPart;
import io.trainyard.device.PartSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Gpu;
import java.util.Arrays;
import java.util.List;
import jcuda.Pointer;
import org.jspecify.annotations.Nullable;

/// Everything on one GPU: the data set as bytes, the parameters, and for each size of batch a step recorded as a
/// graph, so that the host only launches graphs and, now and then, reads losses.
final class CudaSession implements PartSession {
    private final Workload workload;
    private final EvenPart part;
    private final Gpu gpu;
    private final Programs programs;
    private @Nullable EpochPlan plan;
    private int nextStep;
    private int firstStep; // of those that were begun
    private int endStep; // behind the last of them
    private int sentUntil; // behind the last step that has all it needs from the host
    private boolean scalarsAreStale = true;
    private boolean closed;

    /// @param number of the GPU
    /// @param part which part of every training batch it computes
    CudaSession(Workload workload, int number, EvenPart part) {
        this.workload = workload;
        this.part = part;
        gpu = new Gpu(number);
        try {
            programs = new Programs(workload, gpu, part);
        } catch (RuntimeException | Error e) {
            gpu.close();
            throw e;
        }
    }

    /// None but the one that launches.
    @Override
    public int threads() {
        return 1;
    }

    @Override
    public void join(List<? extends PartSession> parts) {
        enter();
        programs.exchange()
                .join(parts.stream()
                        .filter(other -> !other.equals(this))
                        .map(other -> ((CudaSession) other).programs.exchange())
                        .toList());
    }

    @Override
    public void load(SessionState state) {
        enter();
        programs.model().load(state);
        scalarsAreStale = true;
    }

    @Override
    public SessionState save() {
        enter();
        programs.exchange().takeOverSlots();
        return programs.model().save();
    }

    @Override
    public void beginEpoch(EpochPlan newPlan, int first) {
        enter();
        workload.requirePlan(newPlan, first);
        newPlan.random().skip(workload.drawnWords(first));
        plan = newPlan;
        nextStep = first;
        endStep = first;
        sentUntil = first;
        programs.trainingData().begin(newPlan);
        programs.step().write(Pointer.to(new int[] {first}));
        scalarsAreStale = true;
    }

    @Override
    public float[] advance(int steps) {
        if (part.count() > 1) {
            throw new IllegalStateException(
                    "part %d of %d is asked to advance by itself; all parts take each step together"
                            .formatted(part.index(), part.count()));
        }
        beginSteps(steps);
        for (int i = 0; i < steps; i++) {
            computeGradients();
            endStep();
        }
        return endSteps();
    }

    @Override
    public void beginSteps(int steps) {
        enter();
        EpochPlan epoch = epoch();
        workload.requireStepsLeft(nextStep, steps);
        firstStep = nextStep;
        endStep = nextStep + steps;
        if (scalarsAreStale) {
            programs.scalars()
                    .write(Pointer.to(StepScalars.of(
                            workload.optimizer(),
                            epoch.learningRates(),
                            nextStep,
                            programs.model().steps())));
            scalarsAreStale = false;
        }
    }

    private EpochPlan epoch() {
        EpochPlan begun = plan;
        if (begun == null) {
            throw new IllegalStateException("no epoch has begun; call beginEpoch first");
        }
        return begun;
    }

    /// With its update, where this is the only part.
    @Override
    public void computeGradients() {
        gpu.enter();
        TrainingData data = programs.trainingData();
        if (nextStep == sentUntil) {
            int steps = Math.min(endStep - nextStep, data.blockSteps());
            data.send(epoch(), nextStep, steps);
            sentUntil += steps;
        }
        programs.exchange().takeOver();
        programs.ofStep(nextStep).launch();
        programs.exchange().gradientsAreReady();
    }

    @Override
    public void update() {
        gpu.enter();
        programs.exchange().sum();
        programs.ofStep(nextStep).launchUpdate();
        programs.exchange().rangeIsUpdated();
        endStep();
    }

    private void endStep() {
        nextStep++;
        programs.model().countSteps(1);
        if (nextStep == sentUntil) {
            programs.trainingData().given();
        }
    }

    @Override
    public float[] endSteps() {
        gpu.enter();
        programs.exchange().takeOver();
        float[] losses = new float[endStep - firstStep];
        programs.losses()
                .slice((long) firstStep * Float.BYTES, (long) losses.length * Float.BYTES, "losses")
                .read(Pointer.to(losses));
        return losses;
    }

    @Override
    public Evaluation evaluate() {
        enter();
        TestProgram.Results results = programs.results();
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
            programs.results()
                    .probabilities()
                    .slice(0, (long) batch.length * Float.BYTES, "probabilities")
                    .read(Pointer.to(batch));
            System.arraycopy(batch, 0, all, from * classes, batch.length);
        });
        return all;
    }

    private interface TestBatchReader {
        /// Called when the batch from sample `from` on has been enqueued.
        void read(int from, int samples);
    }

    private void runTests(TestBatchReader reader) {
        programs.testStep().clear();
        TestData data = programs.testData();
        int size = workload.dataset().test().size();
        int batchSize = programs.testBatchSize();
        int batches = Math.ceilDiv(size, batchSize);
        for (int first = 0; first < batches; ) {
            int block = Math.min(batches - first, data.blockBatches());
            data.send(first, block);
            for (int batch = first; batch < first + block; batch++) {
                int from = batch * batchSize;
                int samples = Math.min(batchSize, size - from);
                programs.ofTests(samples).launch();
                reader.read(from, samples);
            }
            data.given();
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
