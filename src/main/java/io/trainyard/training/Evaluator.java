package io.trainyard.training;

import io.trainyard.checkpoint.SavedModel;
import io.trainyard.device.LearningSession;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;

/// The test of a job that evaluates. Its epoch and step are those of the checkpoint.
final class Evaluator {
    private Evaluator() {}

    static Finished evaluate(Attempt attempt, SavedModel model, LearningSession session) {
        Long saved = model.name().step();
        long step = saved == null ? 0 : saved; // a file has none
        TestPass test = TestPass.run(session, model.epoch(), step);
        if (!test.isFinite()) {
            throw new DivergedException("the test loss of the checkpoint %s is %s: its weights cannot be used"
                    .formatted(model.name(), test.result().testLoss()));
        }
        EpochTested tested = test.event(attempt, 0, 0, null);
        attempt.publish(tested);
        return new Finished(
                attempt.job().id(),
                attempt.number(),
                0,
                tested.testAccuracy(),
                0,
                0,
                0,
                test.micros() / 1000,
                session.save().model().sha256(),
                null,
                tested.testLoss());
    }
}
