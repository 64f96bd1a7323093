package io.trainyard.ownership;

public sealed interface RecoveryAction {
    String job();

    /// The job's owner is dead, or its command may be lost: the command is published again, then the ownership.
    ///
    /// @param copies how often it has then been published since the job last had an owner
    /// @param resumed whether the job was paused until now
    record Republish(CommandContent request, int copies, boolean resumed) implements RecoveryAction {
        @Override
        public String job() {
            return request.job().id();
        }
    }

    /// A job without an owner was cancelled: it ends now.
    record Cancel(String job) implements RecoveryAction {}

    /// A waiting job was paused: an event is published. The worker that receives the command will pause the
    /// job.
    ///
    /// @param watched whether the job's ownership is known. If not, only a job that no attempt has claimed waits;
    ///     the owner of another one publishes the event, and a job that is paused at a rung must keep that event
    record PublishPaused(String job, boolean watched) implements RecoveryAction {}

    /// A job that still waits was resumed: an event is published.
    ///
    /// @param watched as for [PublishPaused]
    record PublishResumed(String job, boolean watched) implements RecoveryAction {}
}
