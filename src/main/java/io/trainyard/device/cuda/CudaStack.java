package io.trainyard.device.cuda;

import io.trainyard.device.DeviceLostException;
import io.trainyard.device.LearningSession;
import io.trainyard.device.StackedSteps;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Event;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Kernels;
import io.trainyard.device.cuda.layer.Numbers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Steps of sessions whose whole steps are one kernel ([StepKernel]), all in one launch: a row of the grid, one cluster
/// or one
/// block, for each. Parameters stay where each session has them, and each session sends what its steps need itself.
final class CudaStack implements StackedSteps {
    /// Models of a launch, as `step.cu` has it: 16 clusters occupy 128 multiprocessors.
    static final int PLACES = 16;

    /// Of a model as `step.cu` has it: its plan, and where everything is.
    static final long MODEL_BYTES = StepPlan.BYTES + 16 * Long.BYTES;

    private final StepKernelRule rule;
    private final Gpu gpu;
    private final Kernels kernels;
    private final Buffer models; // in their places
    private final Event launched;
    private final @Nullable CudaSession[] entered = new CudaSession[PLACES];

    CudaStack(Workload example, CudaDevice device) {
        rule = device.stepKernels();
        gpu = new Gpu(device.number());
        try {
            kernels = new Kernels(
                    gpu, KernelSource.ofSteps(), Numbers.of(example.precision()).options());
            Arena arena = new Arena(gpu);
            models = arena.reserve(PLACES * MODEL_BYTES, "the models of a stack");
            arena.allocate();
            launched = gpu.event();
        } catch (RuntimeException | Error e) {
            gpu.close();
            throw e;
        }
    }

    /// As many steps at a time as all can be sent what they need.
    @Override
    public List<@Nullable Trained> advance(List<? extends @Nullable LearningSession> sessions, int steps) {
        List<Lane> lanes = new ArrayList<>();
        for (int place = 0; place < PLACES; place++) {
            if (sessions.get(place) instanceof CudaSession session) {
                lanes.add(new Lane(place, session, steps));
            }
        }
        int atOnce = lanes.stream()
                .mapToInt(lane -> lane.session.stepsAtOnce())
                .min()
                .orElse(steps);
        for (int from = 0; from < steps; from += atOnce) {
            int count = Math.min(atOnce, steps - from);
            lanes.forEach(lane -> lane.prepare(count));
            launch(lanes.stream().filter(Lane::goesOn).toList(), count);
            lanes.forEach(Lane::read);
        }
        List<@Nullable Trained> trained = new ArrayList<>();
        for (int place = 0; place < PLACES; place++) {
            int own = place;
            trained.add(lanes.stream()
                    .filter(lane -> lane.place == own)
                    .map(Lane::trained)
                    .findFirst()
                    .orElse(null));
        }
        return trained;
    }

    /// Behind all that the sessions have enqueued, and before all that they will.
    private void launch(List<Lane> lanes, int steps) {
        int[] turns = new int[3 * PLACES];
        for (int row = 0; row < lanes.size(); row++) {
            Lane lane = lanes.get(row);
            turns[row] = lane.place;
            turns[PLACES + row] = lane.first;
            turns[2 * PLACES + row] = steps;
            Gpu own = lane.session.gpu();
            own.enter();
            Event ready = lane.session.ready();
            ready.record(own.compute());
            gpu.compute().await(ready);
        }
        if (lanes.isEmpty()) {
            return;
        }
        gpu.enter();
        for (Lane lane : lanes) {
            if (!lane.session.equals(entered[lane.place])) {
                lane.session.enterStack(kernels, models, lane.place);
                entered[lane.place] = lane.session;
            }
        }
        kernels.launchRows(
                rule.blocks() == 1 ? "train_stack" : "train_stack_in_clusters",
                lanes.size(),
                rule.blocks(),
                StepKernel.THREADS,
                models,
                turns);
        launched.record(gpu.compute());
        lanes.forEach(lane -> lane.session.gpu().compute().await(launched));
    }

    /// The session has all of its state already; another may have its place.
    @Override
    public void release(int place) {}

    @Override
    public void close() {
        gpu.close();
    }

    /// One session's steps.
    private static final class Lane {
        private final int place;
        private final CudaSession session;
        private final float[] losses;
        private int taken;
        private int first; // of the epoch's steps that are launched
        private @Nullable RuntimeException failure;

        Lane(int place, CudaSession session, int steps) {
            this.place = place;
            this.session = session;
            this.losses = new float[steps];
        }

        boolean goesOn() {
            return failure == null;
        }

        /// What fails here fails for this session; a GPU that is lost is so for all.
        @SuppressWarnings("IllegalCatch") // told to whom it concerns
        private void attempt(Runnable work) {
            if (goesOn()) {
                try {
                    work.run();
                } catch (DeviceLostException e) {
                    throw e;
                } catch (RuntimeException e) {
                    failure = e;
                }
            }
        }

        void prepare(int steps) {
            attempt(() -> {
                first = session.nextStep();
                session.prepare(steps);
            });
        }

        void read() {
            attempt(() -> {
                float[] more = session.endSteps();
                System.arraycopy(more, 0, losses, taken, more.length);
                taken += more.length;
            });
        }

        Trained trained() {
            return failure == null ? new Trained.Steps(losses) : new Trained.Failed(failure);
        }
    }
}
