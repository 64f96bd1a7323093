package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.TrainyardProcess;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A worker that is killed or frozen at a kill point.
final class Victim {
    private static final String STOP = ":stop";
    private static final int KILLED_STATUS = 128 + 9;

    private final String id;
    private final String plan;
    private final TrainyardProcess process;
    private final CompletableFuture<Instant> ended;
    private @Nullable Instant struck;

    /// @param plan the value of the system property: `polled`, `files-written#2:stop`
    Victim(String id, String plan, TrainyardProcess process) {
        this.id = id;
        this.plan = plan;
        this.process = process;
        this.ended = process.ended();
    }

    String id() {
        return id;
    }

    /// The kill point without count and action.
    String point() {
        return plan.replaceAll("[#:].*", "");
    }

    boolean isToStop() {
        return plan.endsWith(STOP);
    }

    TrainyardProcess process() {
        return process;
    }

    /// Checks whether the fault has happened.
    boolean look() {
        if (struck == null && ended.isDone()) {
            assertThat(process.exitStatus())
                    .as("%s has ended: %s", this, process)
                    .isEqualTo(KILLED_STATUS);
            assertThat(isToStop()).as("%s has ended: %s", this, process).isFalse();
            struck = ended.join();
        } else if (struck == null && isToStop() && process.isFrozen()) {
            struck = Instant.now();
        }
        return struck != null;
    }

    /// The time of the fault.
    Instant struck() {
        return Objects.requireNonNull(struck, id);
    }

    @Override
    public String toString() {
        return id + " at " + plan;
    }
}
