package io.trainyard.device.cuda.library;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Searches for a library in the configured folders, then with the system's loader, then in the usual folders. The
/// first place with the library is used. If it has two releases, the newer is used, because the older does not
/// support the newest GPUs.
final class LibraryFinder {
    private final SearchFolders folders;
    private final boolean askSystem;
    private final List<Path> usual;

    LibraryFinder(SearchFolders folders, boolean askSystem) {
        this.folders = folders;
        this.askSystem = askSystem;
        this.usual = folders.usual();
    }

    /// The driver's library; empty, without much work, if there is none.
    static Optional<NativeLibrary> driver(SearchFolders folders, boolean askSystem, String name) {
        Optional<NativeLibrary> configured = in(folders.configured(), List.of(name));
        if (configured.isPresent()) {
            return configured;
        }
        return askSystem && systemKnows(name) ? bySystem(List.of(name)) : in(folders.driver(), List.of(name));
    }

    /// @param names of files, in order of preference
    /// @return empty if none exists
    /// @throws CudaUnavailableException if one exists but cannot be loaded
    Optional<NativeLibrary> find(List<String> names) {
        return in(folders.configured(), names)
                .or(() -> askSystem ? bySystem(names) : Optional.empty())
                .or(() -> in(usual, names));
    }

    /// Asks the JDK, which is cheaper if the library is missing.
    private static boolean systemKnows(String name) {
        try (Arena arena = Arena.ofConfined()) {
            var _ = SymbolLookup.libraryLookup(name, arena);
            return true;
        } catch (IllegalArgumentException _) { // how the JDK reports that it cannot be loaded
            return false;
        }
    }

    private static Optional<NativeLibrary> bySystem(List<String> names) {
        for (String name : names) {
            try {
                return Optional.of(NativeLibrary.open(name));
            } catch (UnsatisfiedLinkError e) {
                if (!String.valueOf(e.getMessage()).startsWith(name + ": cannot open shared object file")) {
                    throw unloadable("the system's " + name, e);
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<NativeLibrary> in(List<Path> folders, List<String> names) {
        return folders.stream()
                .flatMap(folder -> names.stream().map(folder::resolve))
                .filter(Files::exists)
                .findFirst()
                .map(LibraryFinder::open);
    }

    private static NativeLibrary open(Path file) {
        try {
            return NativeLibrary.open(file.toString());
        } catch (UnsatisfiedLinkError e) {
            throw unloadable(file.toString(), e);
        }
    }

    private static CudaUnavailableException unloadable(String what, UnsatisfiedLinkError e) {
        return new CudaUnavailableException(
                "%s cannot be loaded (%s); repair or remove it, or name a folder with a working one in %s"
                        .formatted(what, e.getMessage(), SearchFolders.VARIABLE),
                e);
    }

    /// Loads a dependency of another library from that library's folder, because the two must have the same
    /// release.
    ///
    /// @return false if it does not exist; then the other library's own search may still find it
    static boolean loadBeside(NativeLibrary library, String name) {
        Path file = library.path().resolveSibling(name);
        if (!Files.exists(file)) {
            return false;
        }
        var _ = open(file);
        return true;
    }

    /// Files of unsupported releases of a library, such as `libcudnn.so.7`.
    List<Path> otherReleases(String stem) {
        return Stream.concat(folders.configured().stream(), usual.stream())
                .flatMap(folder -> SearchFolders.matches(folder, stem + "[0-9]*").stream())
                .toList();
    }

    String places() {
        return places(folders.configured(), askSystem, usual);
    }

    static String driverPlaces(SearchFolders folders, boolean askSystem) {
        return places(folders.configured(), askSystem, folders.driver());
    }

    private static String places(List<Path> configured, boolean askSystem, List<Path> usual) {
        List<String> places = new ArrayList<>();
        configured.forEach(
                folder -> places.add(Files.isDirectory(folder) ? folder.toString() : folder + " (which is not there)"));
        if (askSystem) {
            places.add("the folders of the system's loader");
        }
        usual.forEach(folder -> places.add(folder.toString()));
        return places.stream().collect(Collectors.joining(", "));
    }
}
