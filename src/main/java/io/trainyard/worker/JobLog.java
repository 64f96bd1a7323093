package io.trainyard.worker;

import static java.util.Locale.ROOT;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.util.Optional;

/// A worker's log lines about its jobs: one when an attempt begins and one when it ends.
final class JobLog {
    private static final System.Logger LOG = System.getLogger(JobLog.class.getName());

    private final String worker;

    JobLog(String worker) {
        this.worker = worker;
    }

    void see(TrainingEvent event) {
        line(event).ifPresent(line -> {
            try (var _ = LogFields.of(event.job(), event.attempt(), worker)) {
                LOG.log(System.Logger.Level.INFO, line);
            }
        });
    }

    Optional<String> line(TrainingEvent event) {
        Optional<String> what = switch (event) {
            case Claimed e -> Optional.of("device=%s begins".formatted(e.device()));
            case Finished e ->
                Optional.of(String.format(
                        ROOT, "step=%d finished: %s, %.1f s", e.steps(), e.result(), e.trainMillis() / 1e3));
            case Failed e -> Optional.of("failed: " + e.reason());
            case Released e -> Optional.of("step=%d released: %s".formatted(e.step(), e.reason()));
            case Paused e -> Optional.of("step=%d paused".formatted(e.step()));
            case Resumed _ -> Optional.of("resumed");
            case Cancelled e -> Optional.of("step=%d cancelled".formatted(e.step()));
            case TrainingEvent.Expanded e -> Optional.of("sweep expanded into %d trials".formatted(e.trials()));
            case Started _, StepLosses _, EpochTested _, CheckpointSaved _ -> Optional.empty();
        };
        return what.map(text -> "job=%s attempt=%d worker=%s %s"
                .formatted(event.job(), event.attempt(), worker, text)
                .replaceAll("\\p{Cntrl}", " "));
    }
}
