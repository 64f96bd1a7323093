/// Layers on one GPU, compiled for one batch size: by cuDNN and cuBLAS if these support them, otherwise by our own
/// kernels, compiled for the installed GPU. A layer enqueues work, and does not depend on steps or sessions.
@NullMarked
package io.trainyard.device.cuda.layer;

import org.jspecify.annotations.NullMarked;
