package io.trainyard.data;

import java.util.concurrent.TimeUnit;

/// Logs the progress of a long operation every ten seconds. Not thread-safe.
final class ProgressLog {
    private static final System.Logger LOG = System.getLogger(ProgressLog.class.getName());

    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String doing;
    private final String of;
    private long lastLogged = System.nanoTime();

    /// @param doing such as `read`
    /// @param of such as `images in photos`
    ProgressLog(String doing, String of) {
        this.doing = doing;
        this.of = of;
    }

    void at(long done, long all) {
        long now = System.nanoTime();
        if (now - lastLogged > EVERY_NANOS) {
            lastLogged = now;
            LOG.log(System.Logger.Level.INFO, "%s %d of %d %s".formatted(doing, done, all, of));
        }
    }
}
