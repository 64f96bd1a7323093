/// Layers on one GPU, compiled for a batch of one size: cuDNN's and cuBLAS's where these have them, kernels of our own,
/// compiled for the GPU at hand, where they do not. A layer enqueues work, and knows neither steps nor sessions.
@NullMarked
package io.trainyard.device.cuda.layer;

import org.jspecify.annotations.NullMarked;
