package io.trainyard.data;

/// Hears how far a data set has come that is brought to this machine. Called by the thread that waits for it.
@FunctionalInterface
public interface FetchProgress {
    FetchProgress UNHEARD = (_, _, _) -> {};

    /// @param dataset its name
    /// @param bytes of it that are here
    /// @param ofBytes all of it
    void fetched(String dataset, long bytes, long ofBytes);
}
