/// The oracle: every layer in plain Java loops, float32 values with sums in double, written to be read as the
/// definition of what a layer means. Other devices are tested against it; it is deliberately not fast.
@NullMarked
package io.trainyard.device.reference;

import org.jspecify.annotations.NullMarked;
