package io.trainyard.data;

import io.trainyard.data.image.ImageTransform;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.SimilarNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The folder that a worker reads datasets from: the built-in ones, and those described by `<name>/dataset.json`.
/// A built-in name always means the built-in dataset.
///
/// @param path need not exist if only generated datasets are used
public record DataRoot(Path path) {
    private static final int MAX_LISTED_NAMES = 20;

    private static final int MAX_SEARCHED_ENTRIES = 1_000;

    /// Describes a dataset without its samples, which is enough to check a network. Reads at most a description
    /// and headers.
    ///
    /// @throws DatasetException if the dataset does not exist here, or its description is wrong
    public DatasetInfo describe(DatasetSpec spec) {
        return builtIn(spec).orElseGet(() -> {
            DataFolder folder = folder(spec.name());
            return describe(manifest(folder), folder, spec);
        });
    }

    /// A mistake in the folder's description is not reported as a mistake of the job.
    private static DatasetInfo describe(DatasetManifest manifest, DataFolder folder, DatasetSpec spec) {
        manifest.check(folder, spec);
        try {
            return manifest.describe(folder, spec);
        } catch (InvalidJobException e) {
            throw ManifestJson.wrong(folder.file(List.of(DatasetManifest.FILE)), String.valueOf(e.getMessage()), e);
        }
    }

    private static Optional<DatasetInfo> builtIn(DatasetSpec spec) {
        Optional<DatasetInfo> info = Datasets.find(spec.name());
        info.ifPresent(_ -> spec.refuseFolderFields());
        return info;
    }

    /// Reads the description of a folder. A folder without one but with subfolders is an image folder.
    private static DatasetManifest manifest(DataFolder folder) {
        return folder.find(List.of(DatasetManifest.FILE)).isPresent()
                ? DatasetManifest.read(folder)
                : ImageFolderManifest.DEFAULT;
    }

    /// Reads or generates the whole dataset; takes up to a second for each 100 MB.
    ///
    /// @throws DatasetException if the dataset does not exist here, or its files are missing or invalid
    public Dataset open(DatasetSpec spec) {
        Optional<Dataset> builtIn = builtIn(spec)
                .flatMap(info -> Datasets.read(path, info.name())
                        .map(whole -> RandomSplit.dataset(info, spec.split(), whole, SampleMemory.PROCESS)));
        return builtIn.orElseGet(() -> {
            DataFolder folder = folder(spec.name());
            DatasetManifest manifest = manifest(folder);
            return manifest.read(folder, spec, describe(manifest, folder, spec), SampleMemory.PROCESS);
        });
    }

    /// Reads images that are not in the dataset, with its transforms.
    ///
    /// @param images their folder
    /// @param limit the number of images to read at most
    /// @param skipped receives a sentence for each file that is left out
    /// @throws DatasetException if the dataset's samples are no image files, or there is none to read
    public void readImages(
            DatasetSpec spec, Path images, int limit, Consumer<NewSamples.Part> parts, Consumer<String> skipped) {
        DatasetInfo info = describe(spec);
        boolean asBytes = Datasets.find(spec.name()).isPresent()
                || switch (manifest(folder(spec.name()))) {
                    case ImageFolderManifest _, IdxManifest _, CifarManifest _ -> true;
                    case ArraysManifest _, CsvManifest _, PackedManifest _ -> false;
                };
        if (!asBytes
                || info.shape().rank() != 3
                || info.shape().size(0) == 2
                || info.shape().size(0) > 3) {
            throw new DatasetException(
                    "dataset %s is not made of image files, so images cannot be read as its samples are; name the folder of images with --dataset"
                            .formatted(spec.name()));
        }
        new NewSamples(images, info, limit, parts)
                .readImages(new ImageTransform(info.shape().size(0) == 1, spec.resize(), spec.centerCrop()), skipped);
    }

    /// Reads a table that is not in the dataset, whose columns it has, except for the targets.
    ///
    /// @param limit the number of rows to read at most
    /// @throws DatasetException if the dataset is no table, or the file cannot be read
    public void readRows(DatasetSpec spec, Path table, int limit, Consumer<NewSamples.Part> parts) {
        DatasetInfo info = describe(spec);
        if (Datasets.find(spec.name()).isPresent()
                || !(manifest(folder(spec.name())) instanceof CsvManifest manifest)) {
            throw new DatasetException(
                    "dataset %s is not a table, so the columns of %s have no meaning for it; name a dataset of kind csv with --dataset"
                            .formatted(spec.name(), table));
        }
        if (!Files.isRegularFile(table)) {
            throw new DatasetException(
                    "%s is %s; name a CSV file".formatted(table, Files.exists(table) ? "a folder" : "not there"));
        }
        new NewSamples(table, info, limit, parts)
                .readRows(manifest.tableAt(table), manifest.features(folder(spec.name())), manifest.answerColumns());
    }

    /// Stamps of a dataset's files. Equal stamps mean that no file was replaced, as far as sizes and times show.
    ///
    /// @param name of the dataset
    public FileFingerprint stamps(String name) {
        return FileFingerprint.of(Datasets.folders(name).stream()
                .map(path::resolve)
                .filter(Files::isDirectory)
                .toList());
    }

    /// Whether the files of a dataset have changed; false if they are gone or unreachable.
    ///
    /// @param stamps an earlier result of [#stamps]
    public boolean hasOthersNow(String name, FileFingerprint stamps) {
        FileFingerprint now = stamps(name);
        return now.files() > 0 && !now.equals(stamps);
    }

    private DataFolder folder(String name) {
        Optional<DataFolder> folder = DataFolder.find(path, name);
        boolean there = folder.isPresent()
                && (folder.get().find(List.of(DatasetManifest.FILE)).isPresent()
                        || ImageFolder.hasFolders(folder.get()));
        if (!there) {
            throw new DatasetException(missing(name, folder.isPresent()));
        }
        return folder.get();
    }

    private String missing(String name, boolean hasFolder) {
        List<String> own = described();
        List<String> known = Stream.concat(folders(DataRoot::holdsFolders).stream(), Datasets.names().stream())
                .toList();
        String meant = SimilarNames.of(name, known).stream()
                .findFirst()
                .map("; the nearest name is \"%s\""::formatted)
                .orElse("");
        String found = hasFolder
                ? "the folder %s has no %s that describes it, and no folders of images"
                        .formatted(path.toAbsolutePath().resolve(name), DatasetManifest.FILE)
                : "the data root %s has no folder %s".formatted(path.toAbsolutePath(), name);
        String there = own.isEmpty()
                ? "no dataset is described there"
                : "described there %s %s%s"
                        .formatted(
                                own.size() == 1 ? "is" : "are",
                                own.stream().limit(MAX_LISTED_NAMES).collect(Collectors.joining(", ")),
                                own.size() > MAX_LISTED_NAMES ? " and more" : "");
        return "dataset %s is not there: %s; %s; built in are %s%s; put it there, or name another data root with --data"
                .formatted(name, found, there, String.join(", ", Datasets.names()), meant);
    }

    public List<String> described() {
        return folders(folder -> Files.exists(folder.resolve(DatasetManifest.FILE)));
    }

    private static boolean holdsFolders(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return Files.exists(folder.resolve(DatasetManifest.FILE))
                    || entries.limit(MAX_SEARCHED_ENTRIES).anyMatch(Files::isDirectory);
        } catch (IOException e) { // not a folder, or not readable: no name to suggest
            return false;
        }
    }

    private List<String> folders(Predicate<Path> wanted) {
        if (!Files.isDirectory(path)) {
            return List.of();
        }
        try (Stream<Path> folders = Files.list(path)) {
            return folders.limit(MAX_SEARCHED_ENTRIES)
                    .filter(wanted)
                    .map(folder -> folder.getFileName().toString())
                    .filter(DatasetSpec::isName)
                    .filter(name -> Datasets.find(name).isEmpty())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw DataFiles.unreadable(path, e);
        }
    }
}
