package io.trainyard.worker;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The current command of those deferred on `ownership`. Several workers may claim one at a time; the store
/// decides, as for duplicate commands.
final class DeferredCommand {
    private final WorkerContext context;

    /// Offsets on `ownership` of the commands that this worker has processed. It may not have read their deletion
    /// yet.
    private final Map<String, Long> dealtWith = new HashMap<>();

    private @Nullable String key;
    private long offset;

    DeferredCommand(WorkerContext context) {
        this.context = context;
    }

    /// Forgets all other commands.
    ///
    /// @param waiting the keys of all deferred commands
    void keep(Collection<String> waiting) {
        dealtWith.keySet().retainAll(waiting);
    }

    /// Whether this worker has processed the command as it was up to an offset.
    boolean isDealtWith(String its, long until) {
        return until <= dealtWith.getOrDefault(its, -1L);
    }

    void hold(String its, long at) {
        key = its;
        offset = at;
    }

    /// Releases the current command, which stays deferred.
    ///
    /// @return its key; null if no command is held
    @Nullable
    String release() {
        String its = key;
        key = null;
        return its;
    }

    boolean isHeld() {
        return key != null;
    }

    /// Publishes that the current command is no longer deferred.
    ///
    /// @return whether the brokers acknowledged it in time
    boolean accept() {
        String its = release();
        if (its == null) {
            throw new IllegalStateException("no command is held");
        }
        KillPoint.ACCEPTING.reach();
        try {
            var _ = context.host()
                    .await(context.publisher().endDeferral(its), context.rules().claimTimeout());
            dealtWith.put(its, offset);
            return true;
        } catch (ExecutionException | TimeoutException _) {
            return false;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
