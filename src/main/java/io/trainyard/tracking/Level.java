package io.trainyard.tracking;

/// A level of detail of a curve. The boundaries of buckets are the same for all curves, so curves can be
/// merged. Each level has buckets four times as wide as the level before. They are stored in chunks, one per
/// row.
///
/// @param number 1 is the finest level; 0 stands for the losses themselves
record Level(int number) {
    static final int CHUNK = 64;

    /// The number of buckets, or of chunks, that one of the next level combines.
    static final int RATIO = 4;

    private static final long FIRST_WIDTH = 16;

    /// The coarsest level. A chunk of it holds more steps than a job can have.
    static final int MAX = 24;

    static final Level FIRST = new Level(1);

    long width() {
        return FIRST_WIDTH << (2 * (number - 1));
    }

    /// The bucket of a step, counted from 0.
    long bucket(long step) {
        return (step - 1) / width();
    }

    /// The chunk of a step, counted from 0.
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

    /// The coarsest level that has at least `points` buckets in a range of steps; 0 for the losses themselves.
    static int of(long steps, int points) {
        int level = 0;
        while (level < MAX && steps / new Level(level + 1).width() >= points) {
            level++;
        }
        return level;
    }
}
