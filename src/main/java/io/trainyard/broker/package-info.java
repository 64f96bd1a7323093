/// The embedded Kafka for one machine: a real KRaft broker inside this process, for the demo, for a laptop, and for
/// tests. A fleet of machines has a Kafka of its own.
@NullMarked
package io.trainyard.broker;

import org.jspecify.annotations.NullMarked;
