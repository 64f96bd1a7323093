package io.trainyard.data;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.spec.DatasetSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A folder named by its path, to inspect or to pack: a dataset, or files that will become one.
public final class UserFolder {
    private static final int CIFAR_CLASSES = 256;

    private final DataFolder folder;
    private final boolean described;
    private final ObjectNode description;
    private final List<String> reasons;

    private UserFolder(DataFolder folder, boolean described, ObjectNode description, List<String> reasons) {
        this.folder = folder;
        this.described = described;
        this.description = description;
        this.reasons = reasons;
    }

    /// @throws DatasetException if the folder does not exist, or its content is not recognized
    public static UserFolder at(Path path) {
        return at(path, null);
    }

    /// @param label the column of a table with the class or the number to predict; null: it is guessed
    /// @throws DatasetException if the folder does not exist, or its content is not recognized, or is no table with
    ///     this column, or is described already
    public static UserFolder at(Path path, @Nullable String label) {
        if (!Files.isDirectory(path)) {
            throw new DatasetException("%s is %s; name the folder that the files are in"
                    .formatted(path, Files.exists(path) ? "a file" : "not there"));
        }
        DataFolder folder;
        try {
            Path real = path.toRealPath();
            folder = new DataFolder(Optional.ofNullable(real.getParent()).orElse(real), real);
        } catch (IOException e) {
            throw DataFiles.unreadable(path, e);
        }
        if (folder.find(List.of(DatasetManifest.FILE)).isPresent()) {
            if (label != null) {
                throw new DatasetException("%s describes %s already; delete it, or change its label there"
                        .formatted(DatasetManifest.FILE, path));
            }
            return new UserFolder(folder, true, ManifestJson.tree(DatasetManifest.read(folder)), List.of());
        }
        ManifestGuess guess = ManifestGuess.of(folder, label)
                .orElseThrow(() -> new DatasetException(
                        "%s has no known content: no folders of images, no IDX or CIFAR files, no x_train.npy, no .npz or .safetensors with x_train and y_train, no .csv; docs/reference/datasets.md tells what can be read"
                                .formatted(path)));
        return new UserFolder(folder, false, guess.description(), new ArrayList<>(guess.reasons())).completed();
    }

    private UserFolder completed() {
        boolean counts =
                List.of("idx", "cifar").contains(description.get("kind").asText());
        if (counts) {
            description.put(
                    "classes", description.get("kind").asText().equals("idx") ? Dataset.MAX_CLASSES : CIFAR_CLASSES);
        }
        DatasetManifest manifest = manifest();
        if (!manifest.hasTests(folder)) {
            description.putObject("split").put("test", 0.2).put("seed", 0);
            reasons.add("there is no test part, so a fifth of the samples is drawn for tests, with seed 0");
        }
        if (counts) {
            Dataset dataset = read(DatasetSpec.named(name()), SampleMemory.PROCESS);
            int largest = Math.max(
                    Arrays.stream(dataset.train().labels()).max().orElse(0),
                    Arrays.stream(dataset.test().labels()).max().orElse(0));
            description.put("classes", largest + 1);
            reasons.add("the largest label is %d, so there are %d classes, which \"classNames\" can name"
                    .formatted(largest, largest + 1));
        }
        return this;
    }

    DataFolder folder() {
        return folder;
    }

    boolean described() {
        return described;
    }

    /// The content of `dataset.json`, or a proposal.
    ObjectNode description() {
        return description;
    }

    List<String> reasons() {
        return reasons;
    }

    DatasetManifest manifest() {
        return ManifestJson.of(folder.path().resolve(DatasetManifest.FILE), description);
    }

    /// The dataset's name in jobs; `unnamed` if the folder's name is not allowed.
    public String name() {
        String name = folder.path().getFileName().toString();
        return DatasetSpec.isName(name) ? name : "unnamed";
    }

    DatasetInfo info(DatasetSpec how) {
        DatasetManifest manifest = manifest();
        manifest.check(folder, how);
        return manifest.describe(folder, how);
    }

    Dataset read(DatasetSpec how, SampleMemory memory) {
        return manifest().read(folder, how, info(how), memory);
    }

    public Inspection inspect(DatasetSpec how) {
        return new Inspector(this, how).inspect();
    }

    /// Writes the `dataset.json` that [#inspect] proposed.
    ///
    /// @return the file
    /// @throws DatasetException if it exists already
    public Path write(Inspection inspection) {
        Path file = folder.path().resolve(DatasetManifest.FILE);
        if (!(inspection.description() instanceof ObjectNode proposed)) {
            throw new IllegalStateException("a description is an object");
        }
        write(file, ManifestJson.text(proposed), false);
        return file;
    }

    /// Packs the dataset into one file, and writes its description.
    ///
    /// @param out a folder, created if it does not exist
    /// @param how reading options, as in a job; the packed samples are read with them
    /// @param replace whether existing files may be replaced
    /// @return the file
    /// @throws DatasetException if a file exists already, or cannot be read or written
    public Path pack(Path out, DatasetSpec how, boolean replace) {
        Path file = out.resolve(PackedManifest.USUAL);
        for (Path there : List.of(file, out.resolve(DatasetManifest.FILE))) {
            if (Files.exists(there) && !replace) {
                throw new DatasetException(
                        "%s exists already; choose another folder, or add --force to replace it".formatted(there));
            }
        }
        try {
            Files.createDirectories(out);
            if (Files.isSameFile(out, folder.path())) {
                throw new DatasetException("%s is the folder that is packed; name another, next to it".formatted(out));
            }
        } catch (IOException e) {
            throw PackedWriter.unwritable(out, e);
        }
        DatasetInfo info = info(how);
        Dataset dataset = manifest().read(folder, how, info, SampleMemory.inFiles(out));
        PackedWriter.write(file, dataset, PackedDescription.of(dataset, info));
        write(out.resolve(DatasetManifest.FILE), ManifestJson.text(ManifestJson.ofKind("packed")), replace);
        return file;
    }

    /// Writes atomically: readers never see a partial file.
    private static void write(Path file, String text, boolean replace) {
        Path beside = file.resolveSibling(".%s-%s".formatted(file.getFileName(), UUID.randomUUID()));
        try {
            Files.writeString(beside, text, StandardOpenOption.CREATE_NEW);
            try {
                if (replace) {
                    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                } else {
                    Files.move(beside, file); // fails where it is there
                }
            } finally {
                Files.deleteIfExists(beside);
            }
        } catch (IOException e) {
            throw PackedWriter.unwritable(file, e);
        }
    }
}
