package io.trainyard.device.stack;

import io.trainyard.device.DeviceInfo;
import io.trainyard.device.LearningSession;
import io.trainyard.device.StackProgram;
import io.trainyard.device.StackedSteps;
import io.trainyard.device.StackingDevice;
import io.trainyard.device.Workload;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A stacking device for which stacks pay from so many sessions on, on however many processors. Counts what is taken
/// together.
record OneStack(StackingDevice device, int worthwhile, AtomicInteger rounds) implements StackingDevice {
    OneStack(StackingDevice device, int worthwhile) {
        this(device, worthwhile, new AtomicInteger());
    }

    @Override
    public DeviceInfo info() {
        return device.info();
    }

    @Override
    public LearningSession open(Workload workload) {
        return device.open(workload);
    }

    @Override
    public Optional<StackProgram> program(Workload workload) {
        return device.program(workload);
    }

    @Override
    public Workload stackable(Workload workload) {
        return device.stackable(workload);
    }

    @Override
    public StackRoom stackRoom() {
        return new StackRoom(device.stackRoom().places(), worthwhile, 1);
    }

    @Override
    public StackedSteps stack(Workload example) {
        StackedSteps stack = device.stack(example);
        return new StackedSteps() {
            @Override
            public List<@Nullable Trained> advance(List<? extends @Nullable LearningSession> sessions, int steps) {
                rounds.incrementAndGet();
                return stack.advance(sessions, steps);
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
}
