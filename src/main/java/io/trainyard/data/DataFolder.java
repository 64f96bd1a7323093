package io.trainyard.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A folder under the data root. Nothing in it is read that a symbolic link takes from elsewhere: who may put files
/// into the root could else have a worker read any file of the machine.
///
/// @param root the data root, without symbolic links
/// @param path the folder, without symbolic links
record DataFolder(Path root, Path path) {
    /// @param name of the folder in the data root: one step, never a path
    /// @return empty where there is no such folder
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

    /// The first of `names` that exists.
    ///
    /// @throws DatasetException if none does, or it leads out of the root
    Path file(List<String> names) {
        return find(names)
                .orElseThrow(() -> new DatasetException("%s is missing in %s; put it there as it was published"
                        .formatted(String.join(" or ", names), path)));
    }

    /// The first of `names` that exists; a name may have several steps down.
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

    /// What no system takes for a path is no file's name; Java throws when it is asked.
    private static boolean mayBeName(String name) {
        return name.indexOf('\0') < 0;
    }

    /// Where something is that was found in the folder, without symbolic links.
    ///
    /// @throws DatasetException if it leads out of the root
    Path inside(Path found) {
        return inside(root, found);
    }

    /// Does not say where to: whoever reads a job's events need not know what else the machine has.
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
