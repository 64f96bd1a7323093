package io.trainyard.device.session;

import io.trainyard.data.Readahead;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.EvenPart;
import io.trainyard.device.PartMeeting;
import io.trainyard.device.PartSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;

/// A session without its arithmetic: what it refuses, where it is in its epoch, what it loads and saves, and
/// what comes after what in a step. A session that shares its batches with no other is the only part.
public abstract class BackendSession implements PartSession {
    private static final float NORM_EPSILON = 1e-6f; // of clip_grad_norm_

    private final Workload workload;
    private final EvenPart part;
    private final EpochCursor cursor;
    private final Optional<Readahead> readahead;
    private List<BackendSession> parts = List.of(this); // in their order, with this one
    private boolean closed;

    /// @param part which part of every training batch it computes
    protected BackendSession(Workload workload, EvenPart part) {
        this.workload = workload;
        this.part = part;
        this.cursor = new EpochCursor(workload);
        this.readahead = workload.trains() && part.index() == 0 // which asks for all parts of a batch
                ? Readahead.of(workload.dataset(), workload.batchSize())
                : Optional.empty();
    }

    /// What lives from step to step.
    protected abstract StateTable state();

    /// Computes the gradients of the cursor's step, as far as they come from the part's own samples.
    protected abstract void computeOwnGradients();

    /// Sums the gradients of all parts, where that is asked for before the update: for the part's own range
    /// of the parameters. From then on [#ownSquares] is that of these gradients.
    protected void gatherOwnRange() {
        throw new IllegalStateException("the session does not tell the norm of its gradients");
    }

    /// The sum of the squares of the gradients that [#gatherOwnRange] has summed.
    protected double ownSquares() {
        throw new IllegalStateException("the session does not tell the norm of its gradients");
    }

    /// Sums the gradients of all parts, unless they have been gathered, and takes the optimizer's step if the
    /// workload updates at the cursor's, both for the part's own range of the parameters.
    ///
    /// @param step how many steps the optimizer has made with this one: 1 for the first
    protected abstract void updateOwnRange(long step);

    /// [#evaluate] with the parameters as they are.
    protected abstract Evaluation test();

    /// [#predict] with the parameters as they are.
    protected abstract float[] probabilities();

    /// The losses of the steps `first` to `end`, without it, of the epoch, as [#endSteps] gives them.
    protected abstract float[] losses(int first, int end);

    /// Called once for each other part, in their order. What is taken over is taken over from them.
    protected void meet(PartSession other) {
        throw new IllegalStateException("the session computes whole batches; it takes no part in another's");
    }

    /// Called once, behind [#meet].
    ///
    /// @param meeting for what needs the whole batch in the middle of a step
    /// @param all parts in their order, with this one
    protected void meetAt(PartMeeting meeting, List<? extends PartSession> all) {}

    /// Copies what the other parts have updated.
    protected void takeOverParameters() {}

    /// Copies what the other parts' optimizers keep of what they have updated.
    protected void takeOverSlots() {}

    /// Nothing is left to wait for, where a device computes while it is called.
    @Override
    public void settle() {}

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

    /// Whether the optimizer takes its step with the cursor's.
    protected final boolean updates() {
        return workload.updatesAt(cursor.step());
    }

    /// What gradients are multiplied by for their norm, all parts' together, to be no larger than allowed, as
    /// PyTorch computes it.
    protected final float clipCoefficient(OptionalDouble maxNorm) {
        double squares = 0;
        for (BackendSession each : parts) {
            squares += each.ownSquares();
        }
        return Math.min((float) maxNorm.orElseThrow() / ((float) Math.sqrt(squares) + NORM_EPSILON), 1);
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
    public final void join(List<? extends PartSession> all, PartMeeting meeting) {
        enter();
        all.stream().filter(other -> !other.equals(this)).forEach(this::meet);
        meetAt(meeting, all);
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

    /// With the averages of the parameters in their place, where there are any.
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
