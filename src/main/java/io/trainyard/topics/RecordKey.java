package io.trainyard.topics;

import io.trainyard.event.TrainingEvent;

/// The keys of records about jobs: the job's id, followed on compacted topics by a slash and a suffix. An id
/// contains no slash. The suffix does not affect the partition, so all records of a job share one
/// ([JobPartitioner]).
public final class RecordKey {
    /// Not allowed in job ids.
    public static final char SLASH = '/';

    private RecordKey() {}

    /// `<job>/<attempt>/<type>` on a compacted topic, so that an event does not replace one of another type.
    /// The attempt keeps late events of a superseded worker from replacing those of the current attempt.
    public static String of(TrainingEvent event) {
        return Topic.of(event).isCompacted()
                ? event.job() + SLASH + event.attempt() + SLASH + event.type()
                : event.job();
    }

    public static String job(String key) {
        int slash = key.indexOf(SLASH);
        return slash < 0 ? key : key.substring(0, slash);
    }
}
