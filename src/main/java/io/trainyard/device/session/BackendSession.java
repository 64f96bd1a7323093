package io.trainyard.device.session;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.EvenPart;
import io.trainyard.device.PartSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import java.util.List;

/// A session without its arithmetic: what it refuses, where it is in its epoch, what it loads and saves, and what comes
/// after what in a step. A session that shares its batches with no other is the only part.
public abstract class BackendSession implements PartSession {
    private final Workload workload;
    private final EvenPart part;
    private final EpochCursor cursor;
    private boolean closed;

    /// @param part which part of every training batch it computes
    protected BackendSession(Workload workload, EvenPart part) {
        this.workload = workload;
        this.part = part;
        this.cursor = new EpochCursor(workload);
    }

    /// What lives from step to step.
    protected abstract StateTable state();

    /// Computes the gradients of the cursor's step, as far as they come from the part's own samples.
    protected abstract void computeOwnGradients();

    /// Sums the gradients of all parts and takes the optimizer's step, both for the part's own range of the parameters.
    ///
    /// @param step how many steps the optimizer has made with this one: 1 for the first
    protected abstract void updateOwnRange(long step);

    /// The losses of the steps `first` to `end`, without it, of the epoch, as [#endSteps] gives them.
    protected abstract float[] losses(int first, int end);

    /// Called once for each other part, in their order. What is taken over is taken over from them.
    protected void meet(PartSession other) {
        throw new IllegalStateException("the session computes whole batches; it takes no part in another's");
    }

    /// Copies what the other parts have updated.
    protected void takeOverParameters() {}

    /// Copies what the other parts' optimizers keep of what they have updated.
    protected void takeOverSlots() {}

    /// Gives back what it took besides memory of the heap; called once.
    protected void free() {}

    protected final Workload workload() {
        return workload;
    }

    /// Of every batch, and of the parameters.
    protected final EvenPart part() {
        return part;
    }

    protected final EpochCursor cursor() {
        return cursor;
    }

    /// Every public method begins with it.
    ///
    /// @throws IllegalStateException if the session is closed
    protected void enter() {
        if (closed) {
            throw new IllegalStateException("the session is closed; open another");
        }
    }

    @Override
    public final void join(List<? extends PartSession> parts) {
        enter();
        parts.stream().filter(other -> !other.equals(this)).forEach(this::meet);
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
        computeOwnGradients();
    }

    @Override
    public final void update() {
        updateOwnRange(state().countStep());
        cursor.endStep();
    }

    @Override
    public final float[] endSteps() {
        takeOverParameters();
        return losses(cursor.firstStep(), cursor.step());
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            free();
        }
    }
}
