package io.trainyard.event;

import io.trainyard.spec.JobSpec;
import org.jspecify.annotations.Nullable;

/// A record about a job: a command, an event or a dead letter. [JobState] is computed from these records.
public sealed interface JobRecord {
    /// The maximum length of the id of a job or a worker, in characters. Validated ids are shorter, but any
    /// client can write to a topic.
    int MAX_ID = 200;

    static boolean isId(@Nullable String id) {
        return id != null && !id.isEmpty() && id.length() <= MAX_ID;
    }

    String job();

    /// Unix time in ms, by the clock of the publisher.
    long millis();

    /// A command.
    ///
    /// @param spec the requested job; null if the command cannot be read and will be rejected
    /// @param place identifies the command: topic, partition and offset
    record Requested(String job, @Nullable JobSpec spec, String place, long millis) implements JobRecord {}

    /// An event of an attempt.
    ///
    /// @param worker the worker that published it; null if unknown
    /// @param offset the position on its topic; orders the events of a job
    record EventRecord(
            TrainingEvent event, long millis, @Nullable String worker, long offset) implements JobRecord {
        /// Creates an event that does not come from a topic. Such events of a job are applied in order.
        public EventRecord(TrainingEvent event, long millis) {
            this(event, millis, null, 0);
        }

        @Override
        public String job() {
            return event.job();
        }
    }

    /// A dead letter: a worker rejected a command.
    ///
    /// @param command the position of the command, as in [Requested]; null if unknown
    /// @param reason a sentence for the author of the command
    record Rejected(String job, @Nullable String command, String reason, long millis) implements JobRecord {}
}
