package io.trainyard.training;

import io.trainyard.checkpoint.SavedModel;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Part;
import org.jspecify.annotations.Nullable;

/// The test of a checkpoint, whose epoch and step it has.
final class Evaluator {
    private Evaluator() {}

    static Finished evaluate(Attempt attempt, SavedModel model, LearningSession session) {
        EpochTested tested = test(attempt, null, model, session);
        attempt.publish(tested);
        return new Finished(
                attempt.job().id(),
                attempt.number(),
                0,
                tested.testAccuracy(),
                0,
                0,
                0,
                tested.testMillis(),
                session.save().model().sha256(),
                null,
                tested.testLoss(),
                null,
                null,
                null);
    }

    /// The end of a job that has a validation part: the test part is measured only here.
    ///
    /// @param best the checkpoint of the best epoch
    /// @param finished the end without this test
    static Finished test(Attempt attempt, SavedModel best, LearningSession session, Finished finished) {
        attempt.alive(HangLimit.UNKNOWN);
        session.load(new SessionState(best.parameters(), Parameters.NONE));
        EpochTested tested = test(attempt, Part.TEST, best, session);
        return new Finished(
                finished.job(),
                finished.attempt(),
                finished.steps(),
                tested.testAccuracy(),
                finished.medianStepMicros(),
                finished.p95StepMicros(),
                finished.p99StepMicros(),
                finished.trainMillis(),
                finished.parametersSha256(),
                finished.stoppedEarly(),
                tested.testLoss(),
                tested,
                finished.metric(),
                tested.metricValue());
    }

    private static EpochTested test(Attempt attempt, @Nullable Part part, SavedModel model, LearningSession session) {
        Long saved = model.name().step();
        long step = saved == null ? 0 : saved; // a file has none
        TestPass test = TestPass.run(session, part, model.epoch(), step);
        if (!test.isFinite()) {
            throw new DivergedException("the test loss of the checkpoint %s is %s: its weights cannot be used"
                    .formatted(model.name(), test.result().testLoss()));
        }
        return test.event(attempt, 0, 0, null);
    }
}
