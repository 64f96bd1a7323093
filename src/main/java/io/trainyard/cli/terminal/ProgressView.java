package io.trainyard.cli.terminal;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;

/// Shows how jobs go: to people by [ProgressBars] where there is a terminal and by [ProgressLines] elsewhere, to
/// programs by [ProgressJson]. Used by one thread.
public sealed interface ProgressView extends AutoCloseable permits ProgressBars, ProgressLines, ProgressJson {
    /// The default number of steps between reports, for unknown jobs.
    int REPORT_EVERY_STEPS = 100;

    /// More bars than this do not fit a terminal; that many jobs are shown as lines.
    int MAX_BARS = 20;

    static ProgressView on(Terminal terminal, int jobs) {
        return terminal.interactive() && jobs <= MAX_BARS
                ? new ProgressBars(terminal.out())
                : new ProgressLines(terminal.out());
    }

    static ProgressView json(Terminal terminal) {
        return new ProgressJson(terminal.out());
    }

    void waiting(String job);

    /// An event; people are not shown those of an older attempt than the state's.
    ///
    /// @param after the job's state with the event taken in
    void show(EventRecord jobRecord, JobState after);

    void rejected(JobState job);

    /// Leaves the terminal as a shell wants it.
    @Override
    void close();
}
