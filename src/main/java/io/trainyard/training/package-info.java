/// The loop: from a job to its events. Nothing here knows of Kafka or Quarkus.
@NullMarked
package io.trainyard.training;

import org.jspecify.annotations.NullMarked;
