package io.trainyard.cli.terminal;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/// Shows the progress of jobs from local events, without Kafka. Used by one thread.
public final class JobProgress implements Consumer<TrainingEvent>, AutoCloseable {
    private final ProgressView view;
    private final Map<String, JobState> states = new LinkedHashMap<>();

    public JobProgress(Terminal terminal, int jobs) {
        view = ProgressView.on(terminal, jobs);
    }

    @Override
    public void accept(TrainingEvent event) {
        JobState state = state(event.job());
        EventRecord jobRecord = new EventRecord(event, System.currentTimeMillis());
        state.apply(jobRecord);
        view.show(jobRecord, state);
    }

    public JobState state(String job) {
        return states.computeIfAbsent(job, JobState::new);
    }

    public void rejected(String job, String reason) {
        JobState state = state(job);
        state.apply(new Rejected(job, null, reason, System.currentTimeMillis()));
        view.rejected(state);
    }

    /// Whether progress bars are drawn, which overwrite other output; lines remain.
    public boolean isDrawn() {
        return view instanceof ProgressBars;
    }

    /// Whether all that was last shown of a job can be read: a bar ends where the terminal does.
    public boolean isWhole(String job) {
        return switch (view) {
            case ProgressBars bars -> bars.isWhole(job);
            case ProgressLines _, ProgressJson _ -> true;
        };
    }

    @Override
    public void close() {
        view.close();
    }
}
