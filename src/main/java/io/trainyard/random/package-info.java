/// PyTorch's random numbers on the CPU, number for number.
@NullMarked
package io.trainyard.random;

import org.jspecify.annotations.NullMarked;
