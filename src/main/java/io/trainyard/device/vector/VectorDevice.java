package io.trainyard.device.vector;

import io.trainyard.device.DeviceInfo;
import io.trainyard.device.EvenPart;
import io.trainyard.device.PartDevice;
import io.trainyard.device.PartSession;
import io.trainyard.device.StackProgram;
import io.trainyard.device.StackedSteps;
import io.trainyard.device.StackingDevice;
import io.trainyard.device.Workload;
import io.trainyard.device.host.ParameterUpdate.Loop;
import io.trainyard.spec.Network;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The processors of this machine, by kernels of our own. Workloads say how many threads they want.
public record VectorDevice(DeviceInfo info) implements PartDevice, StackingDevice {
    /// What jobs of one program follow, each with its own numbers.
    private record Rule(Loop update, LaneLoop.Form loop) {}

    /// Whether there are kernels for all of a network's layers.
    public static boolean computes(Network network) {
        return network.layers().stream().allMatch(layer -> ChunkChain.computes(layer.spec()));
    }

    @Override
    public PartSession open(Workload workload) {
        return openPart(workload, EvenPart.WHOLE, null);
    }

    @Override
    public PartSession openPart(Workload workload, EvenPart part, @Nullable PartSession first) {
        if (!computes(workload.network())) {
            throw new IllegalArgumentException("there are no kernels for all layers of the network");
        }
        return new VectorSession(workload, part, Math.max(1, part.size(workload.threads())));
    }

    @Override
    public Optional<StackProgram> program(Workload workload) {
        return StackRule.takes(workload)
                ? Optional.of(StackProgram.of(
                        workload, new Rule(Loop.of(workload.optimizer()), LaneLoop.Form.of(workload.loop()))))
                : Optional.empty();
    }

    /// Of one thread, which is what a lane computes as.
    @Override
    public Workload stackable(Workload workload) {
        return workload.withThreads(1);
    }

    @Override
    public StackRoom stackRoom() {
        return StackRule.ROOM;
    }

    @Override
    public StackedSteps stack(Workload example) {
        return new VectorStack(example);
    }
}
