/// How projects share a fleet: the rules and their file. Pure: no Kafka, no clock, no threads.
@NullMarked
package io.trainyard.share;

import org.jspecify.annotations.NullMarked;
