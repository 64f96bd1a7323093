package io.trainyard.training;

import io.trainyard.checkpoint.SavedModel;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.spec.JobSpec;
import java.util.Objects;
import java.util.function.Consumer;

/// The one test of a job that evaluates. Its epoch and step are those the checkpoint was saved at.
final class Evaluator {
    private Evaluator() {}

    /// @return the event that ends the job
    static Finished evaluate(
            JobSpec job, int attempt, SavedModel model, LearningSession session, Consumer<TrainingEvent> events) {
        long startNanos = System.nanoTime();
        Evaluation test = session.evaluate();
        if (!Double.isFinite(test.testLoss())) {
            throw new DivergedException("the test loss of the checkpoint %s is %s: its weights are no use"
                    .formatted(model.name(), test.testLoss()));
        }
        long micros = (System.nanoTime() - startNanos) / 1000;
        long step = Objects.requireNonNull(model.name().step(), "a model that was found has a step");
        var tested = TestEvents.tested(job, attempt, model.epoch(), step, test, 0, 0, micros);
        events.accept(tested);
        String sha256 = session.save().model().sha256();
        return new Finished(job.id(), attempt, 0, tested.testAccuracy(), 0, 0, 0, micros / 1000, sha256, null);
    }
}
