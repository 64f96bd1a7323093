/// The device `cpu`: the processors of this machine. It decides, by rules on shapes and never by timing, how
/// many threads a network is worth and what computes it.
@NullMarked
package io.trainyard.device.cpu;

import org.jspecify.annotations.NullMarked;
