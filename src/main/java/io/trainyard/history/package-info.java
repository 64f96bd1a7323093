/// Checks that the published records of a fleet are consistent, for tests, for simulations and for `./trainyard
/// events --check`. Independent of Kafka.
@NullMarked
package io.trainyard.history;

import org.jspecify.annotations.NullMarked;
