package io.trainyard.training;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;

/// Step times: median, 95th and 99th percentile of the steps in the newest blocks. Steps within a block are not
/// measured separately; the block's mean counts for each of them. So a percentile is the mean of some block,
/// and a slow step within a block does not show.
final class StepTimes {
    /// The number of blocks that are kept: at ten a second about a quarter of an hour.
    private static final int BLOCKS = 10_000;

    private final Deque<Block> blocks = new ArrayDeque<>();

    private record Block(int steps, double meanMicros) {}

    /// Records a block of `steps` steps that took `blockMicros` in total.
    void took(int steps, long blockMicros) {
        if (blocks.size() == BLOCKS) {
            blocks.removeFirst();
        }
        blocks.addLast(new Block(steps, blockMicros / (double) steps));
    }

    /// In microseconds; 0 without a step.
    double median() {
        return percentile(50);
    }

    /// In microseconds; 0 without a step.
    double p95() {
        return percentile(95);
    }

    /// In microseconds; 0 without a step.
    double p99() {
        return percentile(99);
    }

    /// The least time that `percent` of 100 steps did not exceed.
    private double percentile(int percent) {
        long steps = blocks.stream().mapToLong(Block::steps).sum();
        long left = Math.ceilDiv(steps * percent, 100L);
        for (Block block : blocks.stream()
                .sorted(Comparator.comparingDouble(Block::meanMicros))
                .toList()) {
            left -= block.steps();
            if (left <= 0) {
                return block.meanMicros();
            }
        }
        return 0;
    }
}
