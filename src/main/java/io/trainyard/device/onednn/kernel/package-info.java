/// Java Vector API kernels for operations that oneDNN computes too slowly or not exactly enough, over native memory
/// in the layouts that oneDNN chose. They depend on [io.trainyard.device.onednn.kernel.ImageLayout], not on oneDNN.
@NullMarked
package io.trainyard.device.onednn.kernel;

import org.jspecify.annotations.NullMarked;
