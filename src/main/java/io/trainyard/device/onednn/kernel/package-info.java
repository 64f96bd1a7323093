/// Kernels on Java's vectors for what oneDNN computes too slowly or not exactly enough, over native memory in the
/// layouts that oneDNN chose. They know an [io.trainyard.device.onednn.kernel.ImageLayout], not oneDNN.
@NullMarked
package io.trainyard.device.onednn.kernel;

import org.jspecify.annotations.NullMarked;
