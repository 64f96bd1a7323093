package io.trainyard.data;

import java.nio.file.Path;

/// The source of a dataset: the reader of a file format, or a generator.
interface DatasetSource {
    /// @param root the data root with the files
    /// @param info the name, shape and number of classes of the result
    /// @throws DatasetException if the files are missing or invalid
    Dataset read(Path root, DatasetInfo info);
}
