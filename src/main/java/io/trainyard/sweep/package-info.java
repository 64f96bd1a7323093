/// Sweeps: which jobs one stands for, which of them go on after a rung, by what the store has, and how they compare.
@NullMarked
package io.trainyard.sweep;

import org.jspecify.annotations.NullMarked;
