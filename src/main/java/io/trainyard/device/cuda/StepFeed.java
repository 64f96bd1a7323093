package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Event;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Pinned;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// Sends host data of steps ahead, in blocks of steps through pinned memory, while the device computes the previous
/// block. The device stores it in rings of [#window] steps: step k is at index k modulo the window.
final class StepFeed {
    /// The target size of a block with more than one step.
    private static final long BLOCK_BYTES = 8 << 20;

    private static final int MAX_BLOCK_STEPS = 256;

    /// Two blocks: one is computed while the other is filled.
    private static final int HALVES = 2;

    private final Gpu gpu;
    private final long[] strides;
    private final int blockSteps;
    private final List<Buffer> rings = new ArrayList<>();
    private final List<Half> halves = new ArrayList<>();
    private int turn;

    /// A block's memory on the host.
    ///
    /// @param sent passed when the host may fill it again
    /// @param computed passed when the device no longer needs its data
    private record Half(List<Pinned> sections, Event sent, Event computed) {}

    /// Writes the data of steps: step by step, and within each step section by section.
    interface Writer {
        /// @param section index of the feed's section
        /// @param target as long as that section's stride
        void write(int step, int section, ByteBuffer target);
    }

    StepFeed(Gpu gpu, Arena arena, String what, long... strides) {
        this.gpu = gpu;
        this.strides = strides.clone();
        long ofStep = 0;
        for (long stride : strides) {
            ofStep += stride;
        }
        blockSteps = (int) Math.clamp(BLOCK_BYTES / Math.max(1, ofStep), 1, MAX_BLOCK_STEPS);
        for (long stride : strides) {
            rings.add(arena.reserve(stride * window(), what));
        }
        for (int i = 0; i < HALVES; i++) {
            List<Pinned> sections = new ArrayList<>();
            for (long stride : strides) {
                sections.add(new Pinned(gpu, Math.max(1, stride * blockSteps)));
            }
            halves.add(new Half(sections, gpu.event(), gpu.event()));
        }
    }

    int window() {
        return HALVES * blockSteps;
    }

    int blockSteps() {
        return blockSteps;
    }

    /// The device memory of a section, (window, stride).
    Buffer ring(int section) {
        return rings.get(section);
    }

    /// Sends the data of the steps `first` to `first + steps`, exclusive, for work enqueued on the compute stream
    /// from now on. Before the first step of an epoch, the device must have computed all earlier steps.
    ///
    /// @param steps at most [#blockSteps]
    void send(int first, int steps, Writer writer) {
        Half half = halves.get(turn);
        half.sent().synchronize();
        gpu.copies().await(half.computed()); // two blocks ago, in the same device memory
        for (int i = 0; i < steps; i++) {
            for (int section = 0; section < strides.length; section++) {
                ByteBuffer bytes = half.sections().get(section).bytes();
                int stride = (int) strides[section];
                writer.write(first + i, section, bytes.slice(i * stride, stride).order(bytes.order()));
            }
        }
        int slot = first % window();
        int untilEnd = Math.min(steps, window() - slot);
        for (int section = 0; section < strides.length; section++) {
            Pinned pinned = half.sections().get(section);
            Buffer ring = rings.get(section);
            long stride = strides[section];
            ring.writeAsync(pinned, 0, slot * stride, untilEnd * stride, gpu.copies());
            if (untilEnd < steps) {
                ring.writeAsync(pinned, untilEnd * stride, 0, (steps - untilEnd) * stride, gpu.copies());
            }
        }
        half.sent().record(gpu.copies());
        gpu.compute().await(half.sent());
    }

    /// Called after the steps last sent have been enqueued on the compute stream.
    void given() {
        halves.get(turn).computed().record(gpu.compute());
        turn = (turn + 1) % HALVES;
    }
}
