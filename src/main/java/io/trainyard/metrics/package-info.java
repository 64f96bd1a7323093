/// What Prometheus is told: every metric by name, type, labels and meaning, and nothing that is not here.
/// Labels have few values, all of them known; ids of jobs and workers are never labels.
@NullMarked
package io.trainyard.metrics;

import org.jspecify.annotations.NullMarked;
