package io.trainyard.data;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.trainyard.data.DatasetInfo.Answers;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SplitSpec;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// What a data set's `dataset.json` says: what kind of files lie beside it, and what they hold. A new kind is a record
/// here that can describe and read them.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
    @JsonSubTypes.Type(value = IdxManifest.class, name = "idx"),
    @JsonSubTypes.Type(value = CifarManifest.class, name = "cifar"),
    @JsonSubTypes.Type(value = ArraysManifest.class, name = "arrays"),
    @JsonSubTypes.Type(value = CsvManifest.class, name = "csv"),
    @JsonSubTypes.Type(value = ImageFolderManifest.class, name = "imageFolder"),
    @JsonSubTypes.Type(value = PackedManifest.class, name = "packed"),
})
sealed interface Manifest
        permits IdxManifest, CifarManifest, ArraysManifest, CsvManifest, ImageFolderManifest, PackedManifest {
    String FILE = "dataset.json";

    /// Whether a job may name it so: what is wrong here is for who wrote the job.
    ///
    /// @throws InvalidJobException if `spec` has fields that are not for this kind, or lacks one
    default void check(DataFolder folder, DatasetSpec spec) {
        spec.refuseImageFields();
        var unused = RandomSplit.of(folder, spec, split(), hasTests(folder));
    }

    /// Whether there is a part to test with.
    boolean hasTests(DataFolder folder);

    /// Which samples test where there is none, for jobs that do not say; null: jobs have to.
    @Nullable
    SplitSpec split();

    /// What can be said without reading samples.
    ///
    /// @param folder where the files are
    /// @param spec the data set as the job names it; its name is the folder's
    /// @throws DatasetException if the files are missing or have other headers
    DatasetInfo describe(DataFolder folder, DatasetSpec spec);

    /// Reads the samples.
    ///
    /// @param info what [#describe] said
    /// @param memory where samples go that are not as a network takes them in their files
    /// @throws DatasetException if the files are missing, or are not what they should be
    Dataset read(DataFolder folder, DatasetSpec spec, DatasetInfo info, SampleMemory memory);

    /// @throws DatasetException if the folder's description cannot be read or says what is not allowed
    static Manifest read(DataFolder folder) {
        return ManifestJson.read(folder.file(List.of(FILE)));
    }

    /// Of classes, which may be named or only counted.
    ///
    /// @param classes how many; null where they are named
    /// @param names by label; null: they are called by their numbers
    /// @throws InvalidJobException if neither is given, or both say different numbers
    static Answers.Classes classes(@Nullable Integer classes, @Nullable List<String> names) {
        if (names == null && classes == null) {
            throw new InvalidJobException("classes is missing; say how many there are, or name them in classNames");
        }
        int count = classes != null ? classes : names == null ? 0 : names.size();
        if (count < 1 || count > Dataset.MAX_CLASSES) {
            throw new InvalidJobException("classes is %d; allowed is 1 to %d".formatted(count, Dataset.MAX_CLASSES));
        }
        if (names != null && names.size() != count) {
            throw new InvalidJobException(
                    "classNames has %d names, but classes is %d; give one a class, or leave one out"
                            .formatted(names.size(), count));
        }
        return new Answers.Classes(
                names != null
                        ? names
                        : IntStream.range(0, count).mapToObj(Integer::toString).toList());
    }

    /// @throws InvalidJobException if the means are not one a channel
    static DatasetInfo info(DatasetSpec spec, Shape shape, Answers answers, @Nullable Normalize normalize) {
        var unused = PixelScale.of(shape, normalize);
        return new DatasetInfo(spec.name(), shape, answers, normalize);
    }
}
