package io.trainyard.tracking;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import org.jspecify.annotations.Nullable;

/// A record that changed a job's status or began an attempt. A republished record is no transition.
///
/// @param before the status before the record
/// @param reasonBefore the reason for that status, for example why the job was requeued
/// @param attemptBefore the attempt before the record; 0 if there was none
public record Transition(
        JobRecord jobRecord,
        Status before,
        @Nullable String reasonBefore,
        int attemptBefore,
        Status after,
        int attempt) {
    static Transition of(JobState before, JobRecord jobRecord) {
        return new Transition(
                jobRecord, before.status(), before.reason(), before.attempt(), before.status(), before.attempt());
    }

    /// The same transition with the state after the record.
    Transition to(JobState state) {
        return new Transition(jobRecord, before, reasonBefore, attemptBefore, state.status(), state.attempt());
    }

    boolean isNone() {
        return before == after && !isNewAttempt();
    }

    public boolean isNewAttempt() {
        return attempt > attemptBefore;
    }
}
