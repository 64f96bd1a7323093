/// The loop: from a job to its events. Nothing here knows of Kafka or Quarkus.
///
/// [JobTraining] begins an [Attempt]; [Trainer] trains it, or [Evaluator] tests its checkpoint; it tells its
/// [Supervisor] what happens, and ends with an [Outcome].
@NullMarked
package io.trainyard.training;

import org.jspecify.annotations.NullMarked;
