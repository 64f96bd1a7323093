package io.trainyard.event;

import io.trainyard.event.JobNews.Rejected;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.spec.JobSpec;
import org.jspecify.annotations.Nullable;

/// The commands under one job's id: the newest of them, and whether it was refused. Commands and dead letters are on
/// topics of their own, so the refusal may be read first.
final class Commands {
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

    /// What was asked for last; null where the command is gone from its topic or cannot be read.
    @Nullable
    JobSpec spec() {
        return newest == null ? null : newest.spec();
    }

    /// Where the newest command is; null where none is known.
    @Nullable
    String place() {
        return newest == null ? null : newest.place();
    }

    /// When the newest command was sent, since 1970; 0 where none is known.
    long millis() {
        return newest == null ? 0 : newest.millis();
    }

    /// Why the newest command was refused; null if it was not.
    @Nullable
    String rejection() {
        return refusal != null && (newest == null || isOf(refusal, newest)) ? refusal.reason() : null;
    }

    /// A refusal names its command: the clock of the worker that refused it may be behind the clock of who wrote it.
    private static boolean isOf(Rejected refusal, Requested command) {
        return command.place().equals(refusal.command()) || refusal.millis() >= command.millis();
    }
}
