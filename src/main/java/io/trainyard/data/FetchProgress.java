package io.trainyard.data;

/// Receives the progress of fetching a dataset, on the thread that waits for it.
@FunctionalInterface
public interface FetchProgress {
    FetchProgress IGNORED = (_, _, _) -> {};

    void fetched(String dataset, long bytes, long totalBytes);
}
