package io.trainyard.data;

import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Four IDX files, as MNIST has them, of one's own images.
///
/// @param shape of one image: (1, height, width)
/// @param classes how many; may be left out where they are named
/// @param classNames by label
/// @param normalize for jobs that do not say how to
record IdxManifest(
        Shape shape,
        @Nullable Integer classes,
        @Nullable List<String> classNames,
        @Nullable Normalize normalize) implements Manifest {
    IdxManifest {
        if (shape == null || shape.rank() != 3 || shape.size(0) != 1) {
            throw new InvalidJobException("shape is %s; it must be [1, height, width]".formatted(shape));
        }
        var _ = Manifest.classes(classes, classNames);
    }

    @Override
    public DatasetInfo describe(DataFolder folder, DatasetSpec spec) {
        return Manifest.info(spec, shape, Manifest.classes(classes, classNames), normalize);
    }

    @Override
    public Dataset read(DataFolder folder, DatasetSpec spec, DatasetInfo info) {
        return IdxReader.read(folder, info);
    }
}
