/// The device `cpu`: the CPUs of this machine. Rules on shapes, never timing, choose the number of threads and the
/// implementation for a network.
@NullMarked
package io.trainyard.device.cpu;

import org.jspecify.annotations.NullMarked;
