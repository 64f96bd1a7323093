/// Whose turn it is: the rules by which projects share a fleet, and the file that says them. Pure: nothing here knows
/// Kafka, a clock or a thread.
@NullMarked
package io.trainyard.share;

import org.jspecify.annotations.NullMarked;
