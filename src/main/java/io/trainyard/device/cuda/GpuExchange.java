package io.trainyard.device.cuda;

import io.trainyard.device.ShardRange;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Event;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Kernels;
import java.util.ArrayList;
import java.util.List;

/// Copies between the parts of a session on several GPUs, from device to device. Each part sums and updates a range
/// of the parameters, so every gradient is sent once to its range's part, and every updated parameter once to each
/// other part. Streams wait for each other by events; the host does not wait.
final class GpuExchange {
    /// Ranges begin at multiples of this number of floats.
    private static final int PIECE = 64;

    private final Gpu gpu;
    private final Kernels kernels;
    private final CudaModel model;
    private final ShardRange part;
    private final Buffer received; // the others' gradients of this part's range, one after another
    private final Event gradientsReady;
    private final Event updated;
    private final List<GpuExchange> others = new ArrayList<>();

    GpuExchange(Gpu gpu, Kernels kernels, CudaModel model, ShardRange part, Arena arena) {
        this.gpu = gpu;
        this.kernels = kernels;
        this.model = model;
        this.part = part;
        received = arena.reserve(rangeOf(model.gradients(), part).bytes(), "the gradients of other devices");
        gradientsReady = gpu.event();
        updated = gpu.event();
    }

    private static Buffer rangeOf(Buffer run, ShardRange part) {
        long pieceBytes = (long) PIECE * Float.BYTES;
        int pieces = (int) (run.bytes() / pieceBytes);
        return run.slice(part.begin(pieces) * pieceBytes, part.size(pieces) * pieceBytes, "a range of " + run);
    }

    Buffer ownRange(Buffer run) {
        return rangeOf(run, part);
    }

    /// The parameters of one of the optimizer's groups within the own range, in floats from its beginning.
    ///
    /// @param end exclusive; not above `begin` if there are none
    record GroupRange(long begin, long end) {
        Buffer of(Buffer ownRange) {
            return ownRange.slice(begin * Float.BYTES, (end - begin) * Float.BYTES, "a group of " + ownRange);
        }
    }

    GroupRange ownRange(int group) {
        long floats = ownRange(model.values()).bytes() / Float.BYTES;
        long first = (long) part.begin((int) (model.values().bytes() / Float.BYTES / PIECE)) * PIECE;
        long begin = (group == 0 ? 0 : model.groupEnd(group - 1)) - first;
        return new GroupRange(Math.clamp(begin, 0, floats), Math.clamp(model.groupEnd(group) - first, 0, floats));
    }

    void join(GpuExchange other) {
        others.add(other);
        gpu.enablePeer(other.gpu);
    }

    /// Makes this device wait for the others' updates, and copies them.
    void takeOver() {
        for (GpuExchange other : others) {
            gpu.compute().await(other.updated);
            rangeOf(model.values(), other.part).copyFrom(rangeOf(other.model.values(), other.part));
        }
    }

    void gradientsAreReady() {
        gradientsReady.record(gpu.compute());
    }

    /// Makes this device wait for the others' gradients, and adds those of its own range to its own.
    void sum() {
        Buffer sum = ownRange(model.gradients());
        long floats = sum.bytes() / Float.BYTES;
        for (GpuExchange other : others) {
            gpu.compute().await(other.gradientsReady);
            received.copyFrom(rangeOf(other.model.gradients(), part));
            kernels.launch("add_gradient", floats, sum, received, floats);
        }
    }

    void rangeIsUpdated() {
        updated.record(gpu.compute());
    }

    /// Copies the optimizer state of the others' ranges.
    void takeOverSlots() {
        for (GpuExchange other : others) {
            gpu.compute().await(other.updated);
            for (int i = 0; i < model.slots().size(); i++) {
                rangeOf(model.slots().get(i), other.part)
                        .copyFrom(rangeOf(other.model.slots().get(i), other.part));
            }
        }
    }
}
