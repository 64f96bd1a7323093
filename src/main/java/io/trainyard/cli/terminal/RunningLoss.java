package io.trainyard.cli.terminal;

import io.trainyard.event.TrainingEvent.StepLosses;
import java.util.ArrayList;
import java.util.List;

/// The mean loss of a job's steps since a person was last told, as the tutorials print it. What a new
/// attempt tells begins anew, and so does what comes after a gap. Not thread-safe.
final class RunningLoss {
    private int attempt;
    private long nextStep;
    private double sum;
    private long count;

    /// A step that a person is told of.
    ///
    /// @param mean of the losses since the report before, this step's included
    record Report(long step, float loss, double mean) {}

    /// Takes in losses.
    ///
    /// @param everySteps how often a person is told
    /// @return what there is to tell, in order
    List<Report> take(StepLosses published, long everySteps) {
        if (published.attempt() != attempt || published.firstStep() != nextStep) {
            attempt = published.attempt();
            sum = 0;
            count = 0;
        }
        nextStep = published.lastStep() + 1;
        List<Report> reports = new ArrayList<>();
        for (int i = 0; i < published.losses().length; i++) {
            sum += published.losses()[i];
            count++;
            long step = published.firstStep() + i;
            if (step % everySteps == 0) {
                reports.add(new Report(step, published.losses()[i], sum / count));
                sum = 0;
                count = 0;
            }
        }
        return reports;
    }
}
