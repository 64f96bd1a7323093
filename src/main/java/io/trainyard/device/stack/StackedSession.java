package io.trainyard.device.stack;

import io.trainyard.device.DeviceChoices;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// A session whose steps are taken together with those of others, where there are enough of them, and by itself
/// otherwise: all the same to its bits. An epoch's last, smaller batch it always takes by itself.
final class StackedSession implements LearningSession {
    private final LearningSession session;
    private final Workload workload;
    private final Stack stack;
    private final int place;
    private final Runnable left;
    private int step; // of the epoch: the next
    private boolean closed;

    /// @param session by itself
    /// @param left called when it has left its stack
    StackedSession(LearningSession session, Workload workload, Stack stack, Runnable left) {
        this.session = session;
        this.workload = workload;
        this.stack = stack;
        this.left = left;
        this.place = stack.join(this);
    }

    /// The session by itself.
    LearningSession alone() {
        return session;
    }

    @Override
    public int threads() {
        return session.threads();
    }

    @Override
    public DeviceChoices choices() {
        return session.choices();
    }

    @Override
    public OptionalLong batchNanos() {
        return session.batchNanos();
    }

    @Override
    public void load(SessionState state) {
        apart(() -> {
            session.load(state);
            return true;
        });
    }

    @Override
    public SessionState save() {
        return apart(session::save);
    }

    @Override
    public void beginEpoch(EpochPlan plan, int firstStep) {
        session.beginEpoch(plan, firstStep);
        step = firstStep;
    }

    @Override
    public float[] advance(int steps) {
        int full = Math.clamp(workload.dataset().train().size() / workload.batchSize() - (long) step, 0, steps);
        boolean exist = step + steps <= workload.stepsPerEpoch();
        float[] losses = closed || !exist || full == 0 ? new float[0] : stack.advance(place, full);
        step += losses.length;
        if (losses.length == steps) {
            return losses;
        }
        float[] rest = apart(() -> session.advance(steps - losses.length));
        step += rest.length;
        float[] all = Arrays.copyOf(losses, steps);
        System.arraycopy(rest, 0, all, losses.length, rest.length);
        return all;
    }

    @Override
    public Evaluation evaluate() {
        return apart(session::evaluate);
    }

    @Override
    public float[] predict() {
        return apart(session::predict);
    }

    private <T> T apart(Supplier<T> work) {
        if (closed) {
            return work.get(); // which says so
        }
        stack.away(place);
        try {
            return work.get();
        } finally {
            stack.back();
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            stack.leave(place);
            session.close();
            left.run();
        }
    }
}
