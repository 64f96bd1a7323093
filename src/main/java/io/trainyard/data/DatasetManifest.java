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

/// A dataset's `dataset.json`: the kind of files next to it, and their content. To add a kind, write a record
/// that describes and reads them.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
    @JsonSubTypes.Type(value = IdxManifest.class, name = "idx"),
    @JsonSubTypes.Type(value = CifarManifest.class, name = "cifar"),
    @JsonSubTypes.Type(value = ArraysManifest.class, name = "arrays"),
    @JsonSubTypes.Type(value = CsvManifest.class, name = "csv"),
    @JsonSubTypes.Type(value = ImageFolderManifest.class, name = "imageFolder"),
    @JsonSubTypes.Type(value = PackedManifest.class, name = "packed"),
})
sealed interface DatasetManifest
        permits IdxManifest, CifarManifest, ArraysManifest, CsvManifest, ImageFolderManifest, PackedManifest {
    String FILE = "dataset.json";

    /// Checks the job's fields. Errors here are mistakes of the job.
    ///
    /// @throws InvalidJobException if `spec` has fields that this kind does not allow, or misses a required one
    default void check(DataFolder folder, DatasetSpec spec) {
        spec.refuseImageFields();
        var unused = drawn(folder, spec);
    }

    boolean hasTests(DataFolder folder);

    default boolean hasValidation(DataFolder folder) {
        return false;
    }

    /// The split of the parts that are drawn; null if none is.
    default @Nullable SplitSpec drawn(DataFolder folder, DatasetSpec spec) {
        return RandomSplit.of(folder, spec, split(), hasTests(folder), hasValidation(folder));
    }

    /// The default split if there is no test part; null: jobs must set one.
    @Nullable
    SplitSpec split();

    /// Describes the dataset without reading samples.
    ///
    /// @param folder of the files
    /// @param spec the dataset in the job; its name is the folder's
    /// @throws DatasetException if the files are missing or have other headers
    DatasetInfo describe(DataFolder folder, DatasetSpec spec);

    /// Reads the samples.
    ///
    /// @param info the result of [#describe]
    /// @param memory for samples that must be converted
    /// @throws DatasetException if the files are missing or invalid
    Dataset read(DataFolder folder, DatasetSpec spec, DatasetInfo info, SampleMemory memory);

    /// @throws DatasetException if the folder's description cannot be read or is invalid
    static DatasetManifest read(DataFolder folder) {
        return ManifestJson.read(folder.file(List.of(FILE)));
    }

    /// Classes that are named or only counted.
    ///
    /// @param classes their number; null if they are named
    /// @param names by label; null: the labels are the names
    /// @throws InvalidJobException if both are missing, or their numbers differ
    static Answers.Classes classes(@Nullable Integer classes, @Nullable List<String> names) {
        if (names == null && classes == null) {
            throw new InvalidJobException("classes is missing; set their number, or name them in classNames");
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

    /// @throws InvalidJobException if the number of means differs from the number of channels
    static DatasetInfo info(DatasetSpec spec, Shape shape, Answers answers, @Nullable Normalize normalize) {
        var unused = PixelScale.of(shape, normalize);
        return new DatasetInfo(spec.name(), shape, answers, normalize);
    }
}
