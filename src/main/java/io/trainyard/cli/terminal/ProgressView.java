package io.trainyard.cli.terminal;

import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;

/// Shows people how jobs go: [ProgressBars] where there is a terminal, [ProgressLines] elsewhere. Used by one
/// thread.
public sealed interface ProgressView extends AutoCloseable permits ProgressBars, ProgressLines {
    /// More bars than this do not fit a terminal; that many jobs are shown as lines.
    int MAX_BARS = 20;

    /// @param jobs how many there will be
    static ProgressView on(Terminal terminal, int jobs) {
        return terminal.interactive() && jobs <= MAX_BARS
                ? new ProgressBars(terminal.out())
                : new ProgressLines(terminal.out());
    }

    /// A job that nobody has claimed yet.
    void waiting(String job);

    /// An event of an older attempt than the state's is not shown.
    ///
    /// @param after the job's state with the event taken in
    void show(TrainingEvent event, JobState after);

    /// A job whose command was refused.
    void rejected(JobState job);

    /// Leaves the terminal as a shell wants it.
    @Override
    void close();
}
