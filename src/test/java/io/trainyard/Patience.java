package io.trainyard;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/// The time limit of waits in tests: 60 seconds times the environment variable `TEST_PATIENCE`, a whole number
/// with the default 1. A wait ends as soon as its condition holds, so a high factor costs nothing while tests
/// pass.
public final class Patience {
    /// The limit of each wait.
    public static final Duration LIMIT = Duration.ofSeconds(60).multipliedBy(factor());

    /// The limit of waits for jobs that train on several processes.
    public static final Duration LONG = LIMIT.multipliedBy(3);

    private Patience() {}

    private static int factor() {
        String factor = System.getenv("TEST_PATIENCE");
        return factor == null || factor.isBlank() ? 1 : Integer.parseInt(factor.strip());
    }

    /// Waits within [#LIMIT].
    ///
    /// @param what the awaited condition, for the message
    public static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(LIMIT);
    }

    /// Waits for jobs that train on several processes.
    public static ConditionFactory awaitJobs(String what) {
        return Awaitility.await(what).atMost(LONG);
    }

    /// Waits for a result within [#LIMIT].
    public static <T> T get(Future<T> future) throws Exception {
        return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    /// Waits for the end of a process within [#LIMIT].
    ///
    /// @return its exit status
    public static int exitStatus(Process process) throws InterruptedException {
        if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(process.info() + " has not ended within " + LIMIT);
        }
        return process.exitValue();
    }
}
