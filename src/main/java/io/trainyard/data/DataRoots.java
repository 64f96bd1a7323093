package io.trainyard.data;

import java.nio.file.Path;

/// Where datasets are: in a local folder, or in remote storage from which they are fetched on demand.
@FunctionalInterface
public interface DataRoots {
    /// Returns a data root that holds a dataset. It stays unchanged until another dataset is requested.
    ///
    /// @param dataset its name
    /// @throws DatasetException if it cannot be fetched
    DataRoot of(String dataset, FetchProgress progress);

    /// Whether a dataset can be read without fetching it first.
    default boolean isNear(String dataset) {
        return true;
    }

    static DataRoots ofFolder(Path folder) {
        DataRoot root = new DataRoot(folder);
        return (_, _) -> root;
    }
}
