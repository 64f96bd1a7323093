package io.trainyard.device.cuda;

import io.trainyard.device.DeviceChoices;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.SessionState;
import io.trainyard.device.ShardBarrier;
import io.trainyard.device.ShardRange;
import io.trainyard.device.ShardSession;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.session.BackendSession;
import io.trainyard.device.session.StateTable;
import java.util.List;
import jcuda.Pointer;

/// A session on one GPU: the dataset as bytes, the parameters, and for each batch size one or several steps
/// recorded as a graph, so that the host only launches graphs and occasionally reads losses.
final class CudaSession extends BackendSession {
    private final Gpu gpu;
    private final Programs programs;
    private final StateTable state;
    private int sentUntil; // one past the last step with all its host data on the device
    private int launchedUntil; // one past the last step with an enqueued graph
    private boolean scalarsAreStale = true;

    CudaSession(Workload workload, CudaDevice device, ShardRange part) {
        super(workload, part);
        gpu = new Gpu(device.number(), CudaSettings.ofProcess().forks());
        try {
            programs = new Programs(workload, gpu, part);
        } catch (RuntimeException | Error e) {
            gpu.close();
            throw e;
        }
        state = new StateTable(workload.network().parameters(), workload.update(), programs.model());
    }

    /// Only the launching thread.
    @Override
    public int threads() {
        return 1;
    }

    @Override
    public DeviceChoices choices() {
        return programs.choices();
    }

    @Override
    protected StateTable state() {
        return state;
    }

    @Override
    protected void connect(ShardSession other) {
        programs.exchange().join(((CudaSession) other).programs.exchange());
    }

    @Override
    protected void connectAt(ShardBarrier barrier, List<? extends ShardSession> all) {
        programs.norms()
                .join(
                        all.stream()
                                .map(part -> ((CudaSession) part).programs.norms())
                                .toList(),
                        barrier);
    }

    @Override
    public void load(SessionState newState) {
        super.load(newState);
        scalarsAreStale = true;
    }

    @Override
    public void beginEpoch(EpochPlan plan, int firstStep) {
        super.beginEpoch(plan, firstStep);
        sentUntil = firstStep;
        launchedUntil = firstStep;
        programs.trainingData().begin(plan);
        programs.step().write(Pointer.to(new int[] {firstStep}));
        scalarsAreStale = true;
    }

    @Override
    public void beginSteps(int steps) {
        super.beginSteps(steps);
        if (scalarsAreStale) {
            programs.scalars()
                    .write(Pointer.to(StepScalars.of(workload(), cursor().plan(), cursor().step(), state.steps())));
            scalarsAreStale = false;
        }
    }

    @Override
    protected void takeOverParameters() {
        gpu.enter();
        programs.exchange().takeOver();
    }

    /// Waits for the copies, because the other parts may change the source afterwards.
    @Override
    protected void takeOverSlots() {
        programs.exchange().takeOverSlots();
        gpu.compute().synchronize();
    }

    /// The update computes the norm, because there is only one part if gradients are clipped by it.
    @Override
    protected void gatherOwnRange() {}

    /// Includes the update if this is the only part, and all steps recorded in the same graph.
    @Override
    protected void computeOwnGradients() {
        TrainingData data = programs.trainingData();
        int step = cursor().step();
        if (step == sentUntil) {
            int steps = Math.min(cursor().stepsEnd() - step, data.blockSteps());
            data.send(cursor().plan(), step, steps);
            sentUntil += steps;
        }
        if (step == launchedUntil) {
            launchedUntil += programs.launch(step, sentUntil);
        }
        programs.exchange().gradientsAreReady();
    }

    @Override
    protected void updateOwnRange(long stepOfOptimizer) {
        int step = cursor().step();
        if (part().count() > 1) {
            gpu.enter();
            programs.exchange().sum();
            programs.ofStep(step).launchUpdate(updates());
            programs.exchange().rangeIsUpdated();
        }
        if (step + 1 == sentUntil) {
            programs.trainingData().given();
        }
    }

    @Override
    protected float[] losses(int first, int end) {
        float[] losses = new float[end - first];
        programs.losses()
                .slice((long) first * Float.BYTES, (long) losses.length * Float.BYTES, "losses")
                .read(Pointer.to(losses));
        return losses;
    }

    @Override
    protected Evaluation test() {
        programs.loss().beginTest();
        runTests((_, _) -> {});
        return programs.loss().evaluation(workload());
    }

    @Override
    protected float[] probabilities() {
        int classes = workload().network().classes();
        float[] all = new float[Math.multiplyExact(workload().dataset().test().size(), classes)];
        runTests((from, samples) -> {
            float[] batch = new float[samples * classes];
            programs.predictions()
                    .slice(0, (long) batch.length * Float.BYTES, "predictions")
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
        int size = workload().dataset().test().size();
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

    @Override
    protected void enter() {
        super.enter();
        gpu.enter();
    }

    @Override
    public void settle() {
        gpu.settle();
    }

    @Override
    protected void free() {
        gpu.close();
    }
}
