/// Job ownership: the rules by which commands are claimed, watched and published again. Pure: no Kafka, no
/// clock, no threads. The worker carries out the decisions.
@NullMarked
package io.trainyard.ownership;

import org.jspecify.annotations.NullMarked;
