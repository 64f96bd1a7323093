package io.trainyard.device.check;

import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import java.util.Map;

/// The results of a session for a [NonFiniteCase].
///
/// @param probabilities of each class for each sample, before training
/// @param gradients of the first step, by parameter name; NaN if the parameter itself is not finite
/// @param losses of an epoch's steps, starting again from the same parameters
/// @param testLossSum after the epoch
public record NonFiniteRun(float[] probabilities, Map<String, Tensor> gradients, float[] losses, double testLossSum) {
    public static NonFiniteRun of(LearningSession session, NonFiniteCase row) {
        SessionState state = row.state();
        session.load(state);
        float[] probabilities = session.predict();
        session.beginEpoch(row.plan(), 0);
        var unusedLoss = session.advance(1);
        Map<String, Tensor> gradients = CheckWorkload.difference(row.workload(), state, session.save());
        session.load(state);
        session.beginEpoch(row.plan(), 0);
        float[] losses = session.advance(row.workload().stepsPerEpoch());
        return new NonFiniteRun(
                probabilities, gradients, losses, session.evaluate().testLossSum());
    }
}
