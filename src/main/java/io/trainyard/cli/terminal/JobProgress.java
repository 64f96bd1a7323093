package io.trainyard.cli.terminal;

import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/// Shows jobs whose events are at hand, with no Kafka between. Used by one thread.
public final class JobProgress implements Consumer<TrainingEvent>, AutoCloseable {
    private final ProgressView view;
    private final Map<String, JobState> states = new LinkedHashMap<>();

    /// @param jobs how many there will be
    public JobProgress(Terminal terminal, int jobs) {
        view = ProgressView.on(terminal, jobs);
    }

    @Override
    public void accept(TrainingEvent event) {
        JobState state = state(event.job());
        state.apply(event);
        view.show(event, state);
    }

    /// The job as far as it was shown.
    public JobState state(String job) {
        return states.computeIfAbsent(job, JobState::new);
    }

    @Override
    public void close() {
        view.close();
    }
}
