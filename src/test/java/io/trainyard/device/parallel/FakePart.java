package io.trainyard.device.parallel;

import io.trainyard.device.DeviceInfo;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.ShardBarrier;
import io.trainyard.device.ShardDevice;
import io.trainyard.device.ShardRange;
import io.trainyard.device.ShardSession;
import io.trainyard.device.Workload;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// A device and its session without computation. It records calls, waits for the others in each step, and fails
/// at one call.
///
/// @param number of the device
/// @param calls recorded as "device: call"
/// @param callers threads of the calls
/// @param barriers the barriers of each step
/// @param fails the call that fails; empty for none
record FakePart(int number, Queue<String> calls, Queue<Thread> callers, Queue<ShardBarrier> barriers, String fails)
        implements ShardDevice, ShardSession {
    FakePart(int number, String fails) {
        this(number, new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>(), fails);
    }

    FakePart(int number, Queue<String> calls, Queue<Thread> callers, String fails) {
        this(number, calls, callers, new ConcurrentLinkedQueue<>(), fails);
    }

    private void note(String call) {
        calls.add(call);
        callers.add(Thread.currentThread());
        if (call.equals(fails)) {
            throw new FakeFailure("device %d failed: %s".formatted(number, call));
        }
    }

    static final class FakeFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FakeFailure(String message) {
            super(message);
        }
    }

    @Override
    public DeviceInfo info() {
        return new DeviceInfo("fake:" + number, "a model", "a fake", 1000L - number);
    }

    @Override
    public ShardSession open(Workload workload) {
        throw new IllegalStateException("it is to be opened as a part");
    }

    @Override
    public ShardSession openPart(Workload workload, ShardRange part, @Nullable ShardSession first) {
        note("open %d of %d".formatted(part.index(), part.count()));
        return this;
    }

    @Override
    public int threads() {
        return 1;
    }

    @Override
    public void join(List<? extends ShardSession> parts, ShardBarrier barrier) {
        note("join " + parts.indexOf(this));
        barriers.add(barrier);
    }

    @Override
    public void load(SessionState state) {
        note("load");
    }

    @Override
    public SessionState save() {
        note("save");
        return new SessionState(Parameters.NONE, Parameters.NONE);
    }

    @Override
    public void beginEpoch(EpochPlan plan, int firstStep) {
        note("beginEpoch");
    }

    @Override
    public void beginSteps(int steps) {
        note("begin " + steps);
    }

    @Override
    public void computeGradients() {
        note("compute");
        barriers.forEach(ShardBarrier::await);
    }

    @Override
    public void gatherGradients() {
        note("gather");
    }

    @Override
    public void beginTests() {
        note("begin tests");
    }

    @Override
    public void update() {
        note("update");
    }

    @Override
    public float[] endSteps() {
        note("end");
        return new float[] {number, 10 * number};
    }

    @Override
    public float[] advance(int steps) {
        throw new IllegalStateException("its steps are to be taken with the others");
    }

    @Override
    public Evaluation evaluate() {
        note("evaluate");
        return new Evaluation(3.0 * number * (1 + number), 1 + number, 1, new int[][] {{1, 0}, {0, number}}, 0);
    }

    @Override
    public float[] predict() {
        note("predict");
        return new float[] {number};
    }

    @Override
    public void settle() {
        note("settle");
    }

    @Override
    public void close() {
        note("close");
    }
}
