/// The few things that the CUDA device asks of a GPU: a context with a stream, memory, kernels, graphs, events. Thin
/// over JCuda: every call is checked, every resource is freed with its [Gpu], and every buffer knows where it lives.
@NullMarked
package io.trainyard.device.cuda.driver;

import org.jspecify.annotations.NullMarked;
