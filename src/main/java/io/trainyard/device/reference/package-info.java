/// The reference implementation: every layer in plain Java loops, with float32 values and sums in double. It
/// defines the semantics of layers, and other devices are tested against it. It is not optimized.
@NullMarked
package io.trainyard.device.reference;

import org.jspecify.annotations.NullMarked;
