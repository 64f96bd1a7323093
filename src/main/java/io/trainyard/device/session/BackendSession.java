package io.trainyard.device.session;

import io.trainyard.data.Readahead;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.SessionState;
import io.trainyard.device.ShardBarrier;
import io.trainyard.device.ShardRange;
import io.trainyard.device.ShardSession;
import io.trainyard.device.Workload;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;

/// The backend-independent logic of a session: argument checks, the position in the epoch, loading and saving, and
/// the order of operations in a step. A session that computes whole batches is its only part.
public abstract class BackendSession implements ShardSession {
    private static final float NORM_EPSILON = 1e-6f; // of clip_grad_norm_

    private final Workload workload;
    private final ShardRange part;
    private final EpochCursor cursor;
    private final Optional<Readahead> readahead;
    private List<BackendSession> parts = List.of(this); // in their order, with this one
    private boolean closed;

    protected BackendSession(Workload workload, ShardRange part) {
        this.workload = workload;
        this.part = part;
        this.cursor = new EpochCursor(workload);
        this.readahead = workload.trains() && part.index() == 0 // which prefetches for all parts of a batch
                ? Readahead.of(workload.dataset(), workload.batchSize())
                : Optional.empty();
    }

    protected abstract StateTable state();

    /// Computes the gradients of the cursor's step from the part's own samples.
    protected abstract void computeOwnGradients();

    /// Sums the gradients of all parts before the update, for the part's own range of the parameters. Afterwards
    /// [#ownSquares] refers to these gradients.
    protected void gatherOwnRange() {
        throw new IllegalStateException("the session does not tell the norm of its gradients");
    }

    /// The sum of the squares of the gradients summed by [#gatherOwnRange].
    protected double ownSquares() {
        throw new IllegalStateException("the session does not tell the norm of its gradients");
    }

    /// Sums the gradients of all parts, unless they have been gathered, and takes the optimizer's step if the
    /// workload updates at the cursor's step, both for the part's own range of the parameters.
    ///
    /// @param step of the optimizer, from 1
    protected abstract void updateOwnRange(long step);

    protected abstract Evaluation test();

    protected abstract float[] probabilities();

    /// The losses of the epoch's steps `first` to `end`, exclusive, as [#endSteps] returns them.
    protected abstract float[] losses(int first, int end);

    /// Called once for each other part, in order. Updates are copied from these parts.
    protected void connect(ShardSession other) {
        throw new IllegalStateException("the session computes whole batches; it takes no part in another's");
    }

    /// Called once, after [#connect].
    ///
    /// @param barrier barrier for layers that need the whole batch in the middle of a step
    /// @param all parts in order, including this one
    protected void connectAt(ShardBarrier barrier, List<? extends ShardSession> all) {}

    /// Copies the parameters updated by the other parts.
    protected void takeOverParameters() {}

    /// Copies the optimizer state of the parameters updated by the other parts.
    protected void takeOverSlots() {}

    /// Does nothing by default, for devices without asynchronous work.
    @Override
    public void settle() {}

    /// Frees memory outside the heap; called once.
    protected void free() {}

    protected final Workload workload() {
        return workload;
    }

    protected final ShardRange part() {
        return part;
    }

    protected final EpochCursor cursor() {
        return cursor;
    }

    protected final boolean updates() {
        return workload.updatesAt(cursor.step());
    }

    /// The factor that limits the norm of all parts' gradients, as PyTorch computes it.
    protected final float clipCoefficient(OptionalDouble maxNorm) {
        double squares = 0;
        for (BackendSession each : parts) {
            squares += each.ownSquares();
        }
        return Math.min((float) maxNorm.orElseThrow() / ((float) Math.sqrt(squares) + NORM_EPSILON), 1);
    }

    /// Every public method calls it first.
    ///
    /// @throws IllegalStateException if the session is closed
    protected void enter() {
        if (closed) {
            throw new IllegalStateException("the session is closed; open another");
        }
    }

    @Override
    public final void join(List<? extends ShardSession> all, ShardBarrier barrier) {
        enter();
        all.stream().filter(other -> !other.equals(this)).forEach(this::connect);
        connectAt(barrier, all);
        parts = all.stream().map(BackendSession.class::cast).toList();
    }

    @Override
    public void load(SessionState newState) {
        enter();
        state().load(newState);
    }

    @Override
    public final SessionState save() {
        enter();
        takeOverSlots();
        return state().save();
    }

    @Override
    public void beginEpoch(EpochPlan plan, int firstStep) {
        enter();
        cursor.begin(plan, firstStep);
    }

    @Override
    public final float[] advance(int steps) {
        if (part.count() > 1) {
            throw new IllegalStateException(
                    "the session computes part %d of %d of each batch; take its steps with the others"
                            .formatted(part.index(), part.count()));
        }
        beginSteps(steps);
        for (int i = 0; i < steps; i++) {
            computeGradients();
            gatherGradients();
            update();
        }
        return endSteps();
    }

    @Override
    public void beginSteps(int steps) {
        enter();
        cursor.beginSteps(steps);
    }

    @Override
    public final void computeGradients() {
        takeOverParameters();
        readahead.ifPresent(ahead -> ahead.reach(cursor.plan().order(), cursor.firstSample()));
        computeOwnGradients();
    }

    @Override
    public final void gatherGradients() {
        if (workload.loop().maxNorm().isPresent()) {
            gatherOwnRange();
        }
    }

    @Override
    public final void update() {
        updateOwnRange(state().countStep(updates()));
        cursor.endStep();
    }

    @Override
    public final float[] endSteps() {
        takeOverParameters();
        return losses(cursor.firstStep(), cursor.step());
    }

    @Override
    public final void beginTests() {
        enter();
        if (state().averages()) {
            takeOverSlots();
        }
    }

    @Override
    public final Evaluation evaluate() {
        return tested(this::test);
    }

    @Override
    public final float[] predict() {
        return tested(this::probabilities);
    }

    /// Runs a test on the averages of the parameters, if there are any.
    private <T> T tested(Supplier<T> tests) {
        enter();
        if (!state().averages()) {
            return tests.get();
        }
        state().swapAverages();
        try {
            return tests.get();
        } finally {
            state().swapAverages();
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            readahead.ifPresent(Readahead::close);
            free();
        }
    }
}
