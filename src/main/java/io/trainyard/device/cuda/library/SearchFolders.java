package io.trainyard.device.cuda.library;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The folders to search for NVIDIA's libraries, in order. The system's loader is searched after the configured
/// folders and before all others.
///
/// @param configured by the operator, searched first; includes missing folders, so that messages can name them
/// @param driver usual folders of `libcuda.so.1`, for systems with a loader that does not find it
/// @param environment of the process
/// @param root of the file system
record SearchFolders(List<Path> configured, List<Path> driver, Map<String, String> environment, Path root) {
    static final String PROPERTY = "cuda.libraries";
    static final String VARIABLE = "CUDA_LIBRARIES";

    /// The limit of subfolders with similar names; a folder with more is something else.
    private static final int MAX_MATCHES = 64;

    /// The settings of this process. The property overrides the environment variable.
    static SearchFolders ofProcess() {
        return of(System.getProperty(PROPERTY), System.getenv(), Path.of("/"));
    }

    /// @param property folders separated by `:`, or null
    static SearchFolders of(@Nullable String property, Map<String, String> environment, Path root) {
        String given = property == null ? environment.getOrDefault(VARIABLE, "") : property;
        List<Path> driver = Stream.of(
                        "usr/lib/x86_64-linux-gnu", // Debian, Ubuntu
                        "usr/lib64", // Red Hat, SUSE
                        "usr/local/nvidia/lib64", // containers that mount the driver
                        "usr/lib/wsl/lib", // Windows' subsystem for Linux
                        "run/opengl-driver/lib") // NixOS
                .map(root::resolve)
                .toList();
        return new SearchFolders(paths(given), driver, environment, root);
    }

    /// The existing folders apart from the configured ones: CUDA's usual folders, then those of Python packages.
    List<Path> usual() {
        SequencedSet<Path> folders = new LinkedHashSet<>();
        folders.add(root.resolve("usr/local/cuda/lib64"));
        matches(root.resolve("usr/local"), "cuda-*").forEach(cuda -> folders.add(cuda.resolve("lib64")));
        folders.add(root.resolve("opt/cuda/lib64"));
        folders.add(root.resolve("usr/lib/x86_64-linux-gnu"));
        folders.add(root.resolve("usr/lib64"));
        folders.add(root.resolve("usr/local/lib"));
        String conda = environment.get("CONDA_PREFIX");
        if (conda != null) {
            folders.addAll(
                    paths(conda).stream().map(prefix -> prefix.resolve("lib")).toList());
        }
        folders.addAll(pythonPackages());
        folders.removeAll(configured);
        return folders.stream().filter(Files::isDirectory).toList();
    }

    /// `nvidia/*/lib` in the site-packages of the active environment, and of the python3 on the PATH.
    private SequencedSet<Path> pythonPackages() {
        SequencedSet<Path> found = new LinkedHashSet<>();
        for (Path prefix : pythonPrefixes()) {
            Stream<Path> versions = Stream.of("lib", "lib64", "local/lib")
                    .flatMap(lib -> matches(prefix.resolve(lib), "python3*").stream());
            versions.flatMap(python -> Stream.of("site-packages", "dist-packages")
                            .map(packages -> python.resolve(packages).resolve("nvidia")))
                    .flatMap(nvidia -> matches(nvidia, "*").stream())
                    .map(part -> part.resolve("lib"))
                    .forEach(found::add);
        }
        return found;
    }

    /// Virtual environments link to another python3: the packages are next to the link or to its target.
    private SequencedSet<Path> pythonPrefixes() {
        SequencedSet<Path> prefixes = new LinkedHashSet<>();
        for (String variable : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
            prefixes.addAll(paths(environment.getOrDefault(variable, "")));
        }
        for (Path folder : paths(environment.getOrDefault("PATH", ""))) {
            Path python = folder.resolve("python3");
            if (Files.isExecutable(python) && folder.getParent() != null) {
                prefixes.add(folder.getParent());
                Path real = realPath(python);
                if (real.getParent() != null && real.getParent().getParent() != null) {
                    prefixes.add(real.getParent().getParent());
                }
                break; // it hides the others
            }
        }
        paths(environment.getOrDefault("HOME", "")).forEach(home -> prefixes.add(home.resolve(".local")));
        return prefixes;
    }

    private static Path realPath(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException _) { // deleted meanwhile, or a broken link
            return path;
        }
    }

    /// Absolute and distinct; skips invalid paths.
    private static List<Path> paths(String joined) {
        SequencedSet<Path> paths = new LinkedHashSet<>();
        for (String part : joined.split(File.pathSeparator, -1)) {
            if (!part.isBlank()) {
                try {
                    paths.add(Path.of(part.strip()).toAbsolutePath().normalize());
                } catch (InvalidPathException _) { // an invalid path
                    continue;
                }
            }
        }
        return List.copyOf(paths);
    }

    /// Entries of a folder that match a pattern, in reverse alphabetical order: newer versions before older.
    static List<Path> matches(Path folder, String pattern) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        List<Path> matches = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, pattern)) {
            for (Path entry : entries) {
                matches.add(entry);
                if (matches.size() == MAX_MATCHES) {
                    break;
                }
            }
        } catch (IOException | DirectoryIteratorException | UncheckedIOException _) {
            return List.of(); // an unreadable folder
        }
        matches.sort(Comparator.reverseOrder());
        return matches;
    }
}
