/// The training loop: from a job to its events, without Kafka or Quarkus.
///
/// [JobTraining] begins an [Attempt]; [Trainer] trains it, or [Evaluator] tests its checkpoint. The attempt
/// reports to its [Supervisor] and ends with an [Outcome].
@NullMarked
package io.trainyard.training;

import org.jspecify.annotations.NullMarked;
