/// Datasets: samples and targets, read from files under one data root or generated.
@NullMarked
package io.trainyard.data;

import org.jspecify.annotations.NullMarked;
