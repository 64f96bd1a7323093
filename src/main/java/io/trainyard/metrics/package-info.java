/// Prometheus metrics with name, type, labels and meaning. Labels have few, known values; ids of jobs and
/// workers are never labels.
@NullMarked
package io.trainyard.metrics;

import org.jspecify.annotations.NullMarked;
