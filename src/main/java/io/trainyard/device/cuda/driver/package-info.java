/// The CUDA driver API in the form that the CUDA device uses: a context with streams, memory, kernels, graphs and
/// events. A thin layer over JCuda: every call is checked, every resource is freed with its [Gpu], and every buffer
/// knows its GPU.
@NullMarked
package io.trainyard.device.cuda.driver;

import org.jspecify.annotations.NullMarked;
