package io.trainyard.training;

import io.trainyard.checkpoint.Progress.Measured;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.event.ClassMetrics;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.EpochTime;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.spec.Metric;
import org.jspecify.annotations.Nullable;

/// A pass over the test set or the validation part.
///
/// @param part the measured part; null if the dataset has no validation part
/// @param epoch the last trained one
/// @param step the last finished step
/// @param micros how long it took
record TestPass(@Nullable Part part, int epoch, long step, Evaluation result, long micros) {
    static TestPass run(LearningSession session, @Nullable Part part, int epoch, long step) {
        long startNanos = System.nanoTime();
        Evaluation result = session.evaluate();
        return new TestPass(part, epoch, step, result, (System.nanoTime() - startNanos) / 1000);
    }

    /// The sum is not finite if a batch only has classes with weight 0.
    boolean isFinite() {
        return Double.isFinite(result.testLoss()) && Double.isFinite(result.testLossSum());
    }

    /// @param metric of the job
    Measured measured(Metric metric) {
        return new Measured(result.accuracy(), result.testLoss(), metric.score(value(metric)));
    }

    private double value(Metric metric) {
        return switch (metric) {
            case ACCURACY -> result.accuracy();
            case LOSS -> result.testLoss();
            case MACRO_F1 -> ClassMetrics.macroF1(result.confusion());
        };
    }

    /// The only place that creates [EpochTested].
    ///
    /// @param samples trained in the epoch by this attempt
    /// @param epochTime null if no epoch was trained
    EpochTested event(Attempt attempt, long samples, long trainMicros, @Nullable EpochTime epochTime) {
        Accuracy accuracy = result.isRegression() ? null : Accuracy.of(result.confusion());
        Metric metric = attempt.job().metric();
        boolean withConfusion = result.confusion().length <= EpochTested.MAX_CONFUSION_CLASSES;
        int[][] confusion = withConfusion ? result.confusion() : new int[0][];
        return new EpochTested(
                attempt.job().id(),
                attempt.number(),
                epoch,
                step,
                result.testLoss(),
                result.testLossSum(),
                accuracy == null ? null : accuracy.value(),
                accuracy == null ? 0 : accuracy.low(),
                accuracy == null ? 0 : accuracy.high(),
                result.classAccuracy(),
                confusion,
                trainMicros / 1000,
                micros / 1000,
                samples * 1e6 / Math.max(1, trainMicros),
                epochTime,
                result.isRegression() ? result.meanAbsoluteError() : null,
                part,
                metric == null ? null : value(metric));
    }
}
