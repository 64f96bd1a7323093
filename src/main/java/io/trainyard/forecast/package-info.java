/// Waiting jobs: their order, why each waits, and when each starts, with an interval. Deterministic, from the
/// state of the fleet and the time.
@NullMarked
package io.trainyard.forecast;

import org.jspecify.annotations.NullMarked;
