package io.trainyard.tracking;

/// A level of detail of a curve. Its buckets have fixed places among the steps, the same for all curves, so that curves
/// can be laid over one another; on each level they are four times as wide as on the one before. They are kept in
/// chunks, a row each.
///
/// @param number from 1 on; below that there are the losses themselves
record Level(int number) {
    static final int CHUNK = 64;

    /// Buckets of a level, or chunks of it, in one of the next.
    static final int RATIO = 4;

    private static final long FIRST_WIDTH = 16;

    /// The widest: enough for more steps than there are.
    static final int MAX = 24;

    static final Level FIRST = new Level(1);

    long width() {
        return FIRST_WIDTH << (2 * (number - 1));
    }

    /// The bucket of a step, from 0 on.
    long bucket(long step) {
        return (step - 1) / width();
    }

    /// The chunk of a step, from 0 on.
    long chunk(long step) {
        return bucket(step) / CHUNK;
    }

    long firstStepOfBucket(long bucket) {
        return bucket * width() + 1;
    }

    long firstStep(long chunk) {
        return firstStepOfBucket(chunk * CHUNK);
    }

    long lastStep(long chunk) {
        return firstStep(chunk + 1) - 1;
    }

    boolean isFirst() {
        return number == 1;
    }

    Level finer() {
        return new Level(number - 1);
    }

    Level coarser() {
        return new Level(number + 1);
    }

    /// The level of which at least so many buckets are in a range of steps, or 0 for the losses themselves.
    static int of(long steps, int points) {
        int level = 0;
        while (level < MAX && steps / new Level(level + 1).width() >= points) {
            level++;
        }
        return level;
    }
}
