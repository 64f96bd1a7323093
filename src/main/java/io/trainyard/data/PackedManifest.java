package io.trainyard.data;

import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.SplitSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One file that `./trainyard dataset convert` made of a dataset of any kind. The file describes its content
/// itself.
///
/// @param file its name; null: `packed.safetensors`
/// @param normalize default for jobs; null: as described when it was packed
record PackedManifest(@Nullable String file, @Nullable Normalize normalize) implements DatasetManifest {
    static final String USUAL = "packed.safetensors";

    private PackedFile open(DataFolder folder) {
        return new PackedFile(folder.file(List.of(file == null ? USUAL : file)));
    }

    @Override
    public boolean hasTests(DataFolder folder) {
        return true;
    }

    @Override
    public boolean hasValidation(DataFolder folder) {
        try (PackedFile packed = open(folder)) {
            return packed.hasValidation();
        }
    }

    @Override
    public @Nullable SplitSpec split() {
        return null; // packing has already split it
    }

    @Override
    public DatasetInfo describe(DataFolder folder, DatasetSpec spec) {
        try (PackedFile packed = open(folder)) {
            PackedDescription described = packed.description();
            return DatasetManifest.info(
                    spec, packed.shape(), described.answers(), normalize == null ? described.normalize() : normalize);
        }
    }

    @Override
    public Dataset read(DataFolder folder, DatasetSpec spec, DatasetInfo info, SampleMemory memory) {
        try (PackedFile packed = open(folder)) {
            packed.verify();
            return RandomSplit.dataset(
                    info,
                    drawn(folder, spec),
                    packed.part("train", info),
                    packed.hasValidation() ? packed.part("validation", info) : null,
                    packed.part("test", info),
                    memory);
        }
    }
}
