/// Sweeps, pure: which jobs one stands for, which of them go on after a rung, and how they compare.
@NullMarked
package io.trainyard.sweep;

import org.jspecify.annotations.NullMarked;
