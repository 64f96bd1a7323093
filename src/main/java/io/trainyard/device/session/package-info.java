/// What the sessions of all backends have in common: the table of what lives from step to step, the cursor through an
/// epoch, the order of calls, the numbers of the optimizers' update rules. A backend adds arithmetic and movement.
@NullMarked
package io.trainyard.device.session;

import org.jspecify.annotations.NullMarked;
