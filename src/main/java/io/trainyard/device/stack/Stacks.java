package io.trainyard.device.stack;

import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.StackProgram;
import io.trainyard.device.StackingDevice;
import io.trainyard.device.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/// The stacks of a process whose jobs share devices. Thread-safe.
public final class Stacks {
    private final Map<Key, List<Stack>> stacks = new HashMap<>();
    private final LongAdder steps = new LongAdder();

    /// What sessions that share stacks have in common.
    private record Key(String device, StackProgram program) {}

    /// The same device, whose sessions are stacked where they can be and where that pays.
    public Device over(Device device) {
        return device instanceof StackingDevice stacking ? new StackedDevice(stacking, this) : device;
    }

    /// @param workload of a job that is to be trained
    LearningSession open(StackingDevice device, Workload workload) {
        Optional<StackProgram> program = device.program(workload);
        if (program.isEmpty()) {
            return device.open(workload);
        }
        Workload stackable = device.stackable(workload);
        LearningSession session = device.open(stackable);
        return join(new Key(device.info().name(), program.get()), device, stackable, session);
    }

    private synchronized StackedSession join(
            Key key, StackingDevice device, Workload workload, LearningSession session) {
        List<Stack> alike = stacks.computeIfAbsent(key, _ -> new ArrayList<>());
        Stack stack = alike.stream().filter(Stack::hasRoom).findFirst().orElseGet(() -> {
            Stack opened = new Stack(device.stackRoom(), device.stack(workload), steps);
            alike.add(opened);
            return opened;
        });
        StackedSession joined = new StackedSession(session, workload, stack, () -> leave(key));
        tellAll(alike);
        return joined;
    }

    /// Forgets stacks that are empty.
    private synchronized void leave(Key key) {
        List<Stack> alike = stacks.getOrDefault(key, new ArrayList<>()); // none, if another has left just now
        alike.removeIf(Stack::closeIfEmpty);
        if (alike.isEmpty()) {
            stacks.remove(key);
        } else {
            tellAll(alike);
        }
    }

    private static void tellAll(List<Stack> alike) {
        int sessions = alike.stream().mapToInt(Stack::sessions).sum();
        alike.forEach(stack -> stack.tell(sessions));
    }

    /// How many sessions are trained with others at present.
    public synchronized int trainedTogether() {
        return stacks.values().stream()
                .flatMap(List::stream)
                .mapToInt(Stack::trainedTogether)
                .sum();
    }

    /// How many steps sessions have taken with others so far: those of all of them.
    public long steps() {
        return steps.sum();
    }

    /// How many stacks there are.
    synchronized int count() {
        return stacks.values().stream().mapToInt(List::size).sum();
    }
}
