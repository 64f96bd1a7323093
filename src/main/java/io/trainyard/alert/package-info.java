/// Alerts: what in a fleet's news somebody should hear of at once, decided by rules without clocks of their
/// own, and sent to a webhook, signed, again and again until it is taken. What is to be sent is in the
/// tracking store, so a restart loses nothing and repeats nothing.
@NullMarked
package io.trainyard.alert;

import org.jspecify.annotations.NullMarked;
