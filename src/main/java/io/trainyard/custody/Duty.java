package io.trainyard.custody;

/// What a keeper has to do about a job.
public sealed interface Duty {
    String job();

    /// Nobody has the job any more, or its command may be lost: the command is published once more, and then
    /// custody.
    ///
    /// @param request what to publish
    /// @param copies how often it has been published then, since somebody held the job
    /// @param resumed whether the job rested until now
    record Republish(Request request, int copies, boolean resumed) implements Duty {
        @Override
        public String job() {
            return request.job().id();
        }
    }

    /// Somebody cancelled a job that nobody runs: it gets its outcome now.
    record Cancel(String job) implements Duty {}

    /// Somebody paused a job that waits: it is told. Whoever is handed the command puts it aside.
    record TellPaused(String job) implements Duty {}

    /// Somebody resumed a job that waits still: it is told.
    record TellResumed(String job) implements Duty {}
}
