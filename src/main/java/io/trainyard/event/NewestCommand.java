package io.trainyard.event;

import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.spec.JobSpec;
import org.jspecify.annotations.Nullable;

/// The newest command with a job's id, and whether it was rejected. Commands and dead letters are on different
/// topics, so the dead letter may be read first.
final class NewestCommand {
    private @Nullable Requested newest;
    private @Nullable Rejected refusal;

    void add(Requested command) {
        if (newest == null || command.millis() >= newest.millis()) {
            newest = command;
        }
    }

    void add(Rejected refused) {
        if (refusal == null || refused.millis() >= refusal.millis()) {
            refusal = refused;
        }
    }

    @Nullable
    JobSpec spec() {
        return newest == null ? null : newest.spec();
    }

    @Nullable
    String place() {
        return newest == null ? null : newest.place();
    }

    /// When the newest command was published, Unix time in ms; 0 if no command is known.
    long millis() {
        return newest == null ? 0 : newest.millis();
    }

    @Nullable
    String rejection() {
        return refusal != null && (newest == null || isOf(refusal, newest)) ? refusal.reason() : null;
    }

    /// A dead letter names its command. Times alone are not enough because the clocks of worker and client may
    /// differ.
    private static boolean isOf(Rejected refusal, Requested command) {
        return command.place().equals(refusal.command()) || refusal.millis() >= command.millis();
    }
}
