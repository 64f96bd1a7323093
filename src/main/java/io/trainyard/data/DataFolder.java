package io.trainyard.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A folder under the data root. Symbolic links that lead out of the root are refused. Otherwise a user with write
/// access to the root could make a worker read any file of the machine.
///
/// @param root the data root, without symbolic links
/// @param path the folder, without symbolic links
record DataFolder(Path root, Path path) {
    /// @param name of the folder in the data root: one path element
    /// @return empty if the folder does not exist
    /// @throws DatasetException if it leads out of the root
    static Optional<DataFolder> find(Path root, String name) {
        Path path = root.resolve(name);
        if (!Files.isDirectory(path)) {
            return Optional.empty();
        }
        try {
            Path realRoot = root.toRealPath();
            return Optional.of(new DataFolder(realRoot, inside(realRoot, path)));
        } catch (IOException e) {
            throw DataFiles.unreadable(path, e);
        }
    }

    /// Returns the first of `names` that exists.
    ///
    /// @throws DatasetException if none exists, or it leads out of the root
    Path file(List<String> names) {
        return find(names)
                .orElseThrow(() -> new DatasetException("%s is missing in %s; put it there as it was published"
                        .formatted(String.join(" or ", names), path)));
    }

    /// Returns the first of `names` that exists. A name may have several path elements.
    ///
    /// @throws DatasetException if it leads out of the root
    Optional<Path> find(List<String> names) {
        return names.stream()
                .filter(DataFolder::mayBeName)
                .map(path::resolve)
                .filter(Files::exists)
                .findFirst()
                .map(file -> inside(root, file));
    }

    /// A NUL byte is invalid in paths, and resolving it throws.
    private static boolean mayBeName(String name) {
        return name.indexOf('\0') < 0;
    }

    /// Returns the real path of a file in the folder.
    ///
    /// @throws DatasetException if it leads out of the root
    Path inside(Path found) {
        return inside(root, found);
    }

    /// The message omits the target, so job events reveal no other files of the machine.
    private static Path inside(Path root, Path found) {
        try {
            Path real = found.toRealPath();
            if (!real.startsWith(root)) {
                throw new DatasetException(
                        "%s leads out of the data root %s, by a symbolic link or \"..\"; put the files themselves there, or name another data root with --data"
                                .formatted(found.toAbsolutePath(), root));
            }
            return real;
        } catch (IOException e) {
            throw DataFiles.unreadable(found, e);
        }
    }
}
