package io.trainyard.data;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A folder of class folders, listed as `torchvision.datasets.ImageFolder` does. The classes are the names of the
/// folders, sorted. The images of a class are those in its folder and subfolders, sorted by folder and then by
/// name.
///
/// @param folder that holds the class folders
/// @param path of it
/// @param classes the folders' names, by label
record ImageFolder(DataFolder folder, Path path, List<String> classes) {
    /// torchvision's `IMG_EXTENSIONS`, and `.gif`. Listed files in an unsupported format count as broken.
    private static final Set<String> ENDINGS =
            Set.of(".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp", ".gif");

    /// One and a half times ImageNet.
    static final int MAX_IMAGES = 2_000_000;

    /// Symbolic links may form a cycle.
    private static final int MAX_DEPTH = 32;

    /// Python's string order, by code point. Java's order puts characters above U+FFFF before U+E000.
    static final Comparator<String> BY_CODE_POINT = ImageFolder::compare;

    /// An image file.
    ///
    /// @param file path below the folder, with slashes
    record Image(String file, int label) {}

    private record FolderFiles(String name, List<String> files) {}

    ImageFolder {
        classes = List.copyOf(classes);
    }

    /// @param path `folder`, or a folder in it
    /// @throws DatasetException if it has fewer than two class folders
    static ImageFolder of(DataFolder folder, Path path) {
        List<String> classes = entries(folder, path, Files::isDirectory);
        if (classes.size() < 2) {
            throw new DatasetException(
                    "%s has %s; an image folder has a folder of images for each class, two or more: %s, %s"
                            .formatted(
                                    path,
                                    classes.isEmpty() ? "no folder in it" : "one folder in it, " + classes.getFirst(),
                                    path.resolve("cat").resolve("1.jpg"),
                                    path.resolve("dog").resolve("1.jpg")));
        }
        if (classes.size() > Dataset.MAX_CLASSES) {
            throw new DatasetException("%s has %d folders, each of them a class; allowed is 2 to %d"
                    .formatted(path, classes.size(), Dataset.MAX_CLASSES));
        }
        return new ImageFolder(folder, path, classes);
    }

    /// Whether there is a subfolder that could be a class or a part.
    static boolean hasFolders(DataFolder folder) {
        return !entries(folder, folder.path(), Files::isDirectory).isEmpty();
    }

    /// All images, class by class.
    ///
    /// @throws DatasetException if a class is empty
    List<Image> images() {
        List<Image> images = new ArrayList<>();
        for (int label = 0; label < classes.size(); label++) {
            String name = classes.get(label);
            List<FolderFiles> folders = new ArrayList<>();
            look(name, folders, 1, Integer.MAX_VALUE);
            folders.sort(Comparator.comparing(FolderFiles::name, BY_CODE_POINT));
            int before = images.size();
            for (FolderFiles below : folders) {
                for (String file : below.files()) {
                    images.add(new Image(below.name() + "/" + file, label));
                }
            }
            if (images.size() == before) {
                throw new DatasetException(
                        "%s has no image in it, and every folder in %s is a class; put images there (files whose names end in %s), or take the folder away"
                                .formatted(path.resolve(name), path, endings()));
            }
            if (images.size() > MAX_IMAGES) {
                throw new DatasetException(
                        "%s has more than %d images, the most that are read".formatted(path, MAX_IMAGES));
            }
        }
        return images;
    }

    /// An image of the first class; null if it is empty.
    @Nullable
    Image any() {
        List<FolderFiles> folders = new ArrayList<>();
        look(classes.getFirst(), folders, 1, 1);
        return folders.stream()
                .filter(below -> !below.files().isEmpty())
                .findFirst()
                .map(below -> new Image(below.name() + "/" + below.files().getFirst(), 0))
                .orElse(null);
    }

    /// The path below the data root, for messages.
    String name() {
        return folder.root().relativize(path).toString().replace('\\', '/');
    }

    Path path(Image image) {
        return folder.inside(path.resolve(image.file()));
    }

    private void look(String name, List<FolderFiles> found, int depth, int most) {
        if (depth > MAX_DEPTH) {
            throw new DatasetException("%s is %d folders deep; allowed are %d: does a symbolic link lead in a circle?"
                    .formatted(path.resolve(name), depth, MAX_DEPTH));
        }
        Path at = path.resolve(name);
        List<String> files = entries(folder, at, file -> isImage(file) && !Files.isDirectory(file));
        if (!files.isEmpty()) {
            found.add(new FolderFiles(name, files));
        }
        for (String below : entries(folder, at, Files::isDirectory)) {
            if (found.size() >= most) {
                return;
            }
            look(name + "/" + below, found, depth + 1, most);
        }
    }

    private static boolean isImage(Path file) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        return ENDINGS.stream().anyMatch(name::endsWith);
    }

    private static String endings() {
        return String.join(", ", ENDINGS.stream().sorted().toList());
    }

    /// The names in a folder, in order.
    ///
    /// @throws DatasetException if a symbolic link leads out of the data root
    private static List<String> entries(DataFolder folder, Path at, Predicate<Path> wanted) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(at, wanted::test)) {
            for (Path entry : stream) {
                if (Files.isSymbolicLink(entry)) {
                    folder.inside(entry);
                }
                names.add(entry.getFileName().toString());
            }
        } catch (IOException e) {
            throw DataFiles.unreadable(at, e);
        }
        names.sort(BY_CODE_POINT);
        return names;
    }

    private static int compare(String a, String b) {
        for (int i = 0; i < Math.min(a.length(), b.length()); i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean beyond = Character.isSurrogate(x);
                return beyond == Character.isSurrogate(y) ? x - y : beyond ? 1 : -1;
            }
        }
        return a.length() - b.length();
    }
}
