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

/// Looks for one library in the configured folders, then lets the system's loader look, then goes through the
/// usual folders. The first place that has it decides; there the newer of two releases is taken: the older
/// one cannot use the newest GPUs.
final class LibraryFinder {
    private final SearchFolders folders;
    private final boolean askSystem;
    private final List<Path> usual;

    /// @param askSystem whether the system's loader may look, too
    LibraryFinder(SearchFolders folders, boolean askSystem) {
        this.folders = folders;
        this.askSystem = askSystem;
        this.usual = folders.usual();
    }

    /// The driver's library; empty if there is none. Cheap where there is none.
    static Optional<NativeLibrary> driver(SearchFolders folders, boolean askSystem, String name) {
        Optional<NativeLibrary> configured = in(folders.configured(), List.of(name));
        if (configured.isPresent()) {
            return configured;
        }
        return askSystem && systemKnows(name) ? bySystem(List.of(name)) : in(folders.driver(), List.of(name));
    }

    /// @param names of files, the preferred one first
    /// @return empty if none of them is anywhere
    /// @throws CudaUnavailableException if one is there and cannot be loaded; says why
    Optional<NativeLibrary> find(List<String> names) {
        return in(folders.configured(), names)
                .or(() -> askSystem ? bySystem(names) : Optional.empty())
                .or(() -> in(usual, names));
    }

    /// Asked through the JDK, which is the cheaper way where the library is not there.
    private static boolean systemKnows(String name) {
        try (Arena arena = Arena.ofConfined()) {
            var _ = SymbolLookup.libraryLookup(name, arena);
            return true;
        } catch (IllegalArgumentException _) { // so the JDK says that it cannot be loaded
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

    /// Loads what another library would look for by name, from that one's folder: the two must be of one release.
    ///
    /// @return false if it is not there; then the other library's own search may still find it
    static boolean loadBeside(NativeLibrary library, String name) {
        Path file = library.path().resolveSibling(name);
        if (!Files.exists(file)) {
            return false;
        }
        var _ = open(file);
        return true;
    }

    /// Files of a library whose release is none of those that can be used, such as `libcudnn.so.7`.
    List<Path> otherReleases(String stem) {
        return Stream.concat(folders.configured().stream(), usual.stream())
                .flatMap(folder -> SearchFolders.matches(folder, stem + "[0-9]*").stream())
                .toList();
    }

    /// For a reason: where it was looked.
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
