package io.trainyard.data;

import io.trainyard.data.image.ImageDecoder;
import io.trainyard.data.image.ImageSize;
import java.util.Map;

/// The limits of datasets, by their names in the documentation.
public final class DatasetLimits {
    public static final Map<String, Number> ALL = Map.of(
            "classes of a dataset", Dataset.MAX_CLASSES,
            "images in a folder of images", ImageFolder.MAX_IMAGES,
            "pixels of an image before it is resized", ImageSize.MAX_PIXELS,
            "bytes of an image's file", ImageDecoder.MAX_FILE_BYTES,
            "columns of a table", CsvTable.MAX_COLUMNS,
            "bytes of `dataset.json`", ManifestJson.MAX_BYTES);

    private DatasetLimits() {}
}
