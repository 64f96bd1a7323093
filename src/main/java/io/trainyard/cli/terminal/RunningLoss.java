package io.trainyard.cli.terminal;

import io.trainyard.event.TrainingEvent.StepLosses;
import java.util.ArrayList;
import java.util.List;

/// The mean loss of a job's steps since the last report, as PyTorch's tutorials print it. It restarts with a
/// new attempt and after a gap. Not thread-safe.
final class RunningLoss {
    private int attempt;
    private long nextStep;
    private double sum;
    private long count;

    /// A report after a step.
    ///
    /// @param mean of the losses since the previous report, including this step
    record Report(long step, float loss, double mean) {}

    /// Adds losses.
    ///
    /// @param everySteps steps between reports
    /// @return the reports that are due, in order
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
