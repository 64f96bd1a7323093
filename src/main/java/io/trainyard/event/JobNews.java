package io.trainyard.event;

import io.trainyard.spec.JobSpec;
import org.jspecify.annotations.Nullable;

/// What is heard of a job: that it was asked for, what happens to it, that nobody will run it. Where a job stands
/// is the fold of its news ([JobState]).
public sealed interface JobNews {
    /// The longest id of a job or a worker, in characters. Those that are checked are shorter; anyone can write
    /// to a topic.
    int MAX_ID = 200;

    /// Whether there may be a job or a worker of this name.
    static boolean isId(@Nullable String id) {
        return id != null && !id.isEmpty() && id.length() <= MAX_ID;
    }

    /// The job's id.
    String job();

    /// When it happened, since 1970, by the clock of who told it.
    long millis();

    /// A command.
    ///
    /// @param spec what it asks for; null: it cannot be read, and will be rejected
    /// @param place which of the commands under this id it is: its topic, partition and offset
    record Requested(String job, @Nullable JobSpec spec, String place, long millis) implements JobNews {}

    /// An event of one of its attempts.
    ///
    /// @param worker who tells it; null: it is not known
    /// @param offset its place on its topic: the greater came later, of events of one job on one topic
    record Happened(
            TrainingEvent event, long millis, @Nullable String worker, long offset) implements JobNews {
        /// An event that is at hand, with no topic between: those of a job are taken in in their order.
        public Happened(TrainingEvent event, long millis) {
            this(event, millis, null, 0);
        }

        @Override
        public String job() {
            return event.job();
        }
    }

    /// A dead letter: a worker has refused a command.
    ///
    /// @param command the place of the command, as in [Requested]; null: it is not told
    /// @param reason a sentence for the person who wrote the command
    record Rejected(String job, @Nullable String command, String reason, long millis) implements JobNews {}
}
