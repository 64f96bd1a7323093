package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Event;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Pinned;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// What steps need from the host, sent ahead of them a block of steps at a time through pinned memory, while the
/// device computes the block before. On the device it lies in rings of [#window] steps: step k's is at k modulo that.
final class StepFeed {
    /// What a block is filled up to, if it has more than one step.
    private static final long BLOCK_BYTES = 8 << 20;

    private static final int MAX_BLOCK_STEPS = 256;

    /// Two blocks: one is computed with while the other is filled.
    private static final int HALVES = 2;

    private final Gpu gpu;
    private final long[] strides;
    private final int blockSteps;
    private final List<Buffer> rings = new ArrayList<>();
    private final List<Half> halves = new ArrayList<>();
    private int turn;

    /// A block's place on the host.
    ///
    /// @param sent passed when the host may fill it again
    /// @param computed passed when the device no longer needs what was sent from it
    private record Half(List<Pinned> sections, Event sent, Event computed) {}

    /// Fills in what steps need: step after step, of each step one section after the other.
    interface Writer {
        /// @param section which of the feed's
        /// @param target as long as that section's stride
        void write(int step, int section, ByteBuffer target);
    }

    /// @param strides bytes of a step, for each section
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

    /// Steps on the device at a time.
    int window() {
        return HALVES * blockSteps;
    }

    /// How many steps may be sent at once.
    int blockSteps() {
        return blockSteps;
    }

    /// Where a section's steps are: (window, stride).
    Buffer ring(int section) {
        return rings.get(section);
    }

    /// Sends what the steps `first` to `first + steps`, without it, need; work that is given to the compute stream
    /// from now on finds it there. The device must have computed all before the first step of an epoch.
    ///
    /// @param steps at most [#blockSteps]
    void send(int first, int steps, Writer writer) {
        Half half = halves.get(turn);
        half.sent().synchronize();
        gpu.copies().await(half.computed()); // two blocks ago: whose places on the device these are
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

    /// Says that the steps last sent have been given to the compute stream.
    void given() {
        halves.get(turn).computed().record(gpu.compute());
        turn = (turn + 1) % HALVES;
    }
}
