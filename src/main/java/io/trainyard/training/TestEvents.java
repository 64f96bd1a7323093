package io.trainyard.training;

import io.trainyard.device.Evaluation;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.spec.JobSpec;

/// The one place that makes [EpochTested].
final class TestEvents {
    private TestEvents() {}

    /// @param samples trained in the epoch by this attempt
    static EpochTested tested(
            JobSpec job,
            int attempt,
            int epoch,
            long step,
            Evaluation test,
            long samples,
            long trainMicros,
            long testMicros) {
        Accuracy accuracy = Accuracy.of(test.confusion());
        return new EpochTested(
                job.id(),
                attempt,
                epoch,
                step,
                test.testLoss(),
                test.testLossSum(),
                accuracy.value(),
                accuracy.low(),
                accuracy.high(),
                test.classAccuracy(),
                test.confusion(),
                trainMicros / 1000,
                testMicros / 1000,
                samples * 1e6 / Math.max(1, trainMicros));
    }
}
