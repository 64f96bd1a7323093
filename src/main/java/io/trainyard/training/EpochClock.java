package io.trainyard.training;

import io.trainyard.device.LearningSession;
import io.trainyard.event.TrainingEvent.EpochTime;
import java.util.OptionalLong;

/// Measures the parts of epochs' times. An epoch lasts from the end of the previous one, so all of an attempt's
/// time is in some epoch, except for the time after the last. The clock is read for blocks of steps, not for
/// each.
final class EpochClock {
    private final LearningSession session;
    private long beginNanos = System.nanoTime();
    private long batchNanos; // of the session, when the epoch began
    private long stepsMicros;
    private long checkpointsMicros;

    /// The first epoch begins now.
    EpochClock(LearningSession session) {
        this.session = session;
        this.batchNanos = session.batchNanos().orElse(0);
    }

    void stepsTook(long micros) {
        stepsMicros += micros;
    }

    void checkpointTook(long micros) {
        checkpointsMicros += micros;
    }

    /// The epoch ends, and the next one begins.
    ///
    /// @param testMicros how long the epoch's test took
    EpochTime endEpoch(long testMicros) {
        long now = System.nanoTime();
        long micros = (now - beginNanos) / 1000;
        OptionalLong batches = session.batchNanos();
        Long batchesMicros = batches.isPresent() ? Long.valueOf((batches.getAsLong() - batchNanos) / 1000) : null;
        EpochTime time = new EpochTime(
                stepsMicros,
                batchesMicros,
                checkpointsMicros,
                testMicros,
                micros - stepsMicros - checkpointsMicros - testMicros);
        beginNanos = now;
        batchNanos = batches.orElse(0);
        stepsMicros = 0;
        checkpointsMicros = 0;
        return time;
    }
}
