/// Data-parallel training on several devices of one kind: every batch is split among them, their gradients are
/// summed from device to device, and each updates a part of the parameters, which the others then copy. The losses
/// equal those of one device up to rounding.
@NullMarked
package io.trainyard.device.parallel;

import org.jspecify.annotations.NullMarked;
