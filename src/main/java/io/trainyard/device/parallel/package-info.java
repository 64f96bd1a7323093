/// Several devices of one kind as one: every batch is split among them, their gradients are summed from device to
/// device, and each updates a part of the parameters, which the others then take over. The losses are those of one
/// device, to rounding.
@NullMarked
package io.trainyard.device.parallel;

import org.jspecify.annotations.NullMarked;
