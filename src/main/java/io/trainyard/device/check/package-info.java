/// Shows that a device computes what it must: the contract's table of layers against the reference, on the device of an
/// operator as in the tests of this project, which use the same classes.
@NullMarked
package io.trainyard.device.check;

import org.jspecify.annotations.NullMarked;
