/// Checks that a device computes correctly: all layers are compared with the reference. Operators run the same
/// checks on their devices as the tests of this project.
@NullMarked
package io.trainyard.device.check;

import org.jspecify.annotations.NullMarked;
