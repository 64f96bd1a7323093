package io.trainyard.data;

import io.trainyard.spec.Shape;
import java.util.List;

/// What is known of a data set before any of its files is read.
///
/// @param shape of one image: (channels, height, width)
/// @param classNames by label, from 0 on
public record DatasetInfo(String name, Shape shape, List<String> classNames) {
    public DatasetInfo {
        classNames = List.copyOf(classNames);
    }

    /// Labels are 0 to `classes() - 1`.
    public int classes() {
        return classNames.size();
    }
}
