/// NVIDIA's libraries: finds and loads them, and patches JCuda's natives to match. Afterwards the process can use
/// JCuda, or has the exact reason why not and the solution. On a machine without a driver, only the driver is
/// searched for.
@NullMarked
package io.trainyard.device.cuda.library;

import org.jspecify.annotations.NullMarked;
