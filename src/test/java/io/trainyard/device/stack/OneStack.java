package io.trainyard.device.stack;

import io.trainyard.device.DeviceInfo;
import io.trainyard.device.LearningSession;
import io.trainyard.device.StackProgram;
import io.trainyard.device.StackedSteps;
import io.trainyard.device.StackedSteps.Trained;
import io.trainyard.device.StackingDevice;
import io.trainyard.device.Workload;
import io.trainyard.spec.Precision;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A stacking device for which stacks pay from so many sessions on, on however many processors. Counts what is taken
/// together.
public class OneStack implements StackingDevice {
    private final StackingDevice device;
    private final StackRoom room;
    private final AtomicInteger rounds = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    public OneStack(StackingDevice device, int worthwhile) {
        this(device, new StackRoom(device.stackRoom().places(), worthwhile, 1));
    }

    /// @param patience how long those that are ready wait for the rest
    public OneStack(StackingDevice device, int worthwhile, Duration patience) {
        this(device, new StackRoom(device.stackRoom().places(), worthwhile, 1, patience));
    }

    private OneStack(StackingDevice device, StackRoom room) {
        this.device = device;
        this.room = room;
    }

    /// How often steps were taken together.
    public int rounds() {
        return rounds.get();
    }

    /// The most sessions that took steps together.
    public int most() {
        return most.get();
    }

    @Override
    public final DeviceInfo info() {
        return device.info();
    }

    @Override
    public final Set<Precision> precisions() {
        return device.precisions();
    }

    @Override
    public final LearningSession open(Workload workload) {
        return device.open(workload);
    }

    @Override
    public final Optional<StackProgram> program(Workload workload) {
        return device.program(workload);
    }

    @Override
    public final Workload stackable(Workload workload) {
        return device.stackable(workload);
    }

    @Override
    public final StackRoom stackRoom() {
        return room;
    }

    @Override
    public final StackedSteps stack(Workload example) {
        StackedSteps stack = device.stack(example);
        return new StackedSteps() {
            @Override
            public List<@Nullable Trained> advance(List<? extends @Nullable LearningSession> sessions, int steps) {
                int present = (int) sessions.stream().filter(Objects::nonNull).count();
                rounds.incrementAndGet();
                most.accumulateAndGet(present, Math::max);
                return trained(stack.advance(sessions, steps));
            }

            @Override
            public void release(int place) {
                stack.release(place);
            }

            @Override
            public void close() {
                stack.close();
            }
        };
    }

    /// What it says came of steps that were taken together.
    protected List<@Nullable Trained> trained(List<@Nullable Trained> trained) {
        return trained;
    }
}
