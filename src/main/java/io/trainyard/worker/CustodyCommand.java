package io.trainyard.worker;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The command at hand of those that wait on `custody`. Several workers may take one at a time: the store
/// decides, as it does for copies.
final class CustodyCommand {
    private final Surroundings around;

    /// Where on `custody` those were that this worker has dealt with: it may not have read yet that they are gone.
    private final Map<String, Long> dealtWith = new HashMap<>();

    private @Nullable String key;
    private long offset;

    CustodyCommand(Surroundings around) {
        this.around = around;
    }

    /// Forgets what is gone.
    ///
    /// @param waiting the keys of all that wait
    void keep(Collection<String> waiting) {
        dealtWith.keySet().retainAll(waiting);
    }

    /// Whether this worker has dealt with a command, as far as it was written until an offset.
    boolean isDealtWith(String its, long until) {
        return until <= dealtWith.getOrDefault(its, -1L);
    }

    void hold(String its, long at) {
        key = its;
        offset = at;
    }

    /// Lets go of the command at hand, which goes on waiting.
    ///
    /// @return its key; null where there is none
    @Nullable
    String letGo() {
        String its = key;
        key = null;
        return its;
    }

    boolean isHeld() {
        return key != null;
    }

    /// Says that the command at hand waits no more.
    ///
    /// @return whether the brokers have said in time that they have it
    boolean accept() {
        String its = letGo();
        if (its == null) {
            throw new IllegalStateException("no command is held");
        }
        KillPoint.ACCEPTING.reach();
        try {
            var _ = around.host()
                    .await(around.publisher().endDeferral(its), around.rules().claimTimeout());
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
