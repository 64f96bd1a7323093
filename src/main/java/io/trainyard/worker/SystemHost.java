package io.trainyard.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

final class SystemHost implements Host {
    private static final System.Logger LOG = System.getLogger(SystemHost.class.getName());

    @Override
    public <T extends @Nullable Object> T await(CompletableFuture<T> work, Duration bound)
            throws InterruptedException, ExecutionException, TimeoutException {
        return work.get(bound.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// Linux has the resident set in `/proc`; elsewhere the used Java heap serves as an estimate.
    @Override
    public long residentBytes() {
        Path status = Path.of("/proc/self/status");
        if (Files.isReadable(status)) {
            try {
                for (String line : Files.readAllLines(status)) {
                    if (line.startsWith("VmRSS:")) {
                        return 1024 * Long.parseLong(line.replaceAll("\\D", "")); // in kB
                    }
                }
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "{0} cannot be read: {1}", status, e);
            }
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
