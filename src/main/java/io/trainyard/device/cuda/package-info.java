/// The device `cuda`: a session lives on one GPU and replays its steps there as recorded graphs. Layers are cuDNN's
/// and cuBLAS's where these have them, and kernels of our own, compiled for the GPU at hand, where they do not.
@NullMarked
package io.trainyard.device.cuda;

import org.jspecify.annotations.NullMarked;
