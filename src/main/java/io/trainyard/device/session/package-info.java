/// Shared by the sessions of all backends: the table of state that carries over between steps, the cursor through
/// an epoch, the order of calls, and the coefficients of the optimizers' update rules. A backend adds arithmetic
/// and data movement.
@NullMarked
package io.trainyard.device.session;

import org.jspecify.annotations.NullMarked;
