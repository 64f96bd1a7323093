package io.trainyard.data;

import java.nio.file.Path;

/// Where a data set comes from: the reader of a file format, or a generator.
interface DatasetSource {
    /// @param root the data root, under which files are looked for
    /// @param info what was promised: the result has this name, shape and number of classes
    /// @throws DatasetException if the files are missing, or are not what they should be
    Dataset read(Path root, DatasetInfo info);
}
