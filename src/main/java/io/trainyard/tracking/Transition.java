package io.trainyard.tracking;

import io.trainyard.event.JobNews;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import org.jspecify.annotations.Nullable;

/// News that made a job something else, or began an attempt. What is told again is none.
///
/// @param before what the job was
/// @param reasonBefore why it was that, where it was given back
/// @param attemptBefore its attempt; 0 where there was none
public record Transition(
        JobNews news, Status before, @Nullable String reasonBefore, int attemptBefore, Status after, int attempt) {
    static Transition of(JobState before, JobNews news) {
        return new Transition(
                news, before.status(), before.reason(), before.attempt(), before.status(), before.attempt());
    }

    /// The same, once the job is known to be this.
    Transition to(JobState state) {
        return new Transition(news, before, reasonBefore, attemptBefore, state.status(), state.attempt());
    }

    boolean isNone() {
        return before == after && !isNewAttempt();
    }

    public boolean isNewAttempt() {
        return attempt > attemptBefore;
    }
}
