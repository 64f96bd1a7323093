package io.trainyard.data;

import java.nio.file.Path;

/// Where data sets are: in a folder, or somewhere from which they are brought to this machine when they are asked for.
@FunctionalInterface
public interface DataRoots {
    /// A data root that has what there is of a set. It stays as it is until another set is asked for.
    ///
    /// @param dataset its name
    /// @throws DatasetException if it cannot be brought
    DataRoot of(String dataset, FetchProgress progress);

    /// Whether a set can be read without bringing it first.
    default boolean isNear(String dataset) {
        return true;
    }

    static DataRoots ofFolder(Path folder) {
        DataRoot root = new DataRoot(folder);
        return (_, _) -> root;
    }
}
