package io.trainyard.topics;

import io.trainyard.event.TrainingEvent;

/// The keys of records about jobs: the job's id, and more behind a slash where a topic keeps the last record of
/// each key. An id has no slash. Whatever is behind it, a job's records share a partition ([JobPartitioner]).
public final class RecordKey {
    /// No job's id has it.
    public static final char SLASH = '/';

    private RecordKey() {}

    /// `<job>/<attempt>/<type>` on a topic that keeps the last record of each key: a later event must not push out
    /// one of another kind, nor the late word of a worker that has lost the job one of the attempt that goes on
    /// with it.
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
