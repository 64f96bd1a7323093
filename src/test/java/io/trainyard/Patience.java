package io.trainyard;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/// How long tests wait for what happens by itself.
///
/// A wait ends with what is waited for, so the bound costs nothing while tests pass; and a machine that is busy with
/// other things must not fail one. What takes long on purpose is made short instead: fewer steps, smaller networks.
public final class Patience {
    /// The bound on every wait of the tests.
    public static final Duration LIMIT = Duration.ofMinutes(10);

    private Patience() {}

    /// Waits within [#LIMIT].
    ///
    /// @param what is waited for, for the message
    public static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(LIMIT);
    }

    /// Waits for a result within [#LIMIT].
    public static <T> T get(Future<T> future) throws Exception {
        return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
}
