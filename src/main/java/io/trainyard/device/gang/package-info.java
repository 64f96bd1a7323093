/// One job on several processes: each computes its part of every batch, and they tell one another gradients, over
/// sockets, summed in the order of the parts. The first leads: it alone knows of the job, and has the others do what it
/// does. The numbers are those of as many devices in one process, bit for bit.
@NullMarked
package io.trainyard.device.gang;

import org.jspecify.annotations.NullMarked;
