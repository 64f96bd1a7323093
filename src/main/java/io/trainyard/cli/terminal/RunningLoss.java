package io.trainyard.cli.terminal;

import io.trainyard.event.TrainingEvent.StepLosses;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The mean loss of a job's steps since the last report, as PyTorch's tutorials print it. It restarts with a
/// new attempt and after a gap. Not thread-safe.
final class RunningLoss {
    private int attempt;
    private long nextStep;
    private double sum;
    private long count;
    private float newest;

    /// A report after a step.
    ///
    /// @param mean of the losses since the previous report, including this step
    record Report(long step, float loss, double mean) {}

    /// Adds losses.
    ///
    /// @param everySteps steps between reports
    /// @return the reports that are due, in order
    List<Report> take(StepLosses event, long everySteps) {
        if (event.attempt() != attempt || event.firstStep() != nextStep) {
            attempt = event.attempt();
            sum = 0;
            count = 0;
        }
        nextStep = event.lastStep() + 1;
        List<Report> reports = new ArrayList<>();
        for (int i = 0; i < event.losses().length; i++) {
            sum += event.losses()[i];
            count++;
            newest = event.losses()[i];
            long step = event.firstStep() + i;
            if (step % everySteps == 0) {
                reports.add(new Report(step, event.losses()[i], sum / count));
                sum = 0;
                count = 0;
            }
        }
        return reports;
    }

    /// A report after the newest step, before it is due; empty if it was reported.
    Optional<Report> early() {
        if (count == 0) {
            return Optional.empty();
        }
        Report report = new Report(nextStep - 1, newest, sum / count);
        sum = 0;
        count = 0;
        return Optional.of(report);
    }
}
