package io.trainyard.data;

import io.trainyard.spec.Shape;

/// What is known of a data set before any of its files is read.
///
/// @param shape of one image: (channels, height, width)
/// @param classes labels are 0 to `classes - 1`
public record DatasetInfo(String name, Shape shape, int classes) {}
