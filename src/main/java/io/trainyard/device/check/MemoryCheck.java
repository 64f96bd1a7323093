package io.trainyard.device.check;

import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/// Checks that sessions free their memory.
///
/// @param workload of the sessions
/// @param patience time limit for memory that is freed with a delay
record MemoryCheck(Workload workload, Duration patience) {
    private static final int SESSIONS = 50;

    /// Warm-up sessions allocate the memory that a process keeps: compiled kernels, caches of shapes.
    private static final int FIRST_SESSIONS = 5;

    /// A fraction of one session's memory, allowed for all sessions together: a leak of a five-hundredth of a
    /// session is detected.
    private static final int ALLOWED_PART = 10;

    /// On a CPU, Java's compiler temporarily uses native memory as well.
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    static DeviceCheck ofTudui(Device device) {
        return new DeviceCheck(
                CheckGroup.MEMORY,
                "back at its start after %d sessions of tudui".formatted(SESSIONS),
                () -> new MemoryCheck(GeneratedImages.workload("tudui", 64, 640, 100), PATIENCE).of(device));
    }

    CheckOutcome of(Device device) {
        use(device, FIRST_SESSIONS);
        OptionalLong before = device.usedMemoryBytes();
        if (before.isEmpty()) {
            return new CheckOutcome.Skipped("device %s does not report its memory in use"
                    .formatted(device.info().name()));
        }
        long taken = use(device, SESSIONS) - before.getAsLong();
        long allowed = Math.max(taken, workload.estimatedBytes() / 2) / ALLOWED_PART;
        long grown = waitFor(device, before.getAsLong(), allowed);
        String seen = "grown by %d KiB over %d sessions, each of which took %d KiB; allowed is %d KiB"
                .formatted(grown >> 10, SESSIONS, taken >> 10, allowed >> 10);
        return grown <= allowed ? new CheckOutcome.Passed(seen) : new CheckOutcome.Failed(seen);
    }

    /// @return the growth, once it is allowed or the time is over
    private long waitFor(Device device, long before, long allowed) {
        long end = System.nanoTime() + patience.toNanos();
        long grown = device.usedMemoryBytes().orElseThrow() - before;
        while (grown > allowed && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            grown = device.usedMemoryBytes().orElseThrow() - before;
        }
        return grown;
    }

    /// @return memory used while the last session was open; 0 if unknown
    private long use(Device device, int sessions) {
        long used = 0;
        for (int i = 0; i < sessions; i++) {
            try (LearningSession session = device.open(workload)) {
                session.load(CheckWorkload.state(workload));
                session.beginEpoch(CheckWorkload.plan(workload, i), 0);
                float[] _ = session.advance(2);
                var _ = session.evaluate();
                used = device.usedMemoryBytes().orElse(0);
            }
        }
        return used;
    }
}
