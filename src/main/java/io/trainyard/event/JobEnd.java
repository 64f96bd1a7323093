package io.trainyard.event;

import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Expanded;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// The end of a job.
///
/// @param millis Unix time in ms
/// @param reason why it failed, or finished before its last epoch
/// @param worker the worker that published it; null if unknown
record JobEnd(
        TrainingEvent event,
        Status status,
        long millis,
        @Nullable String reason,
        @Nullable String worker) {
    /// Decides which of two ends counts: the smaller one. The checkpoint store permits only one end, which may
    /// be published repeatedly. If two exist nevertheless, every reader chooses the same one.
    static final Comparator<JobEnd> ORDER = Comparator.comparing(JobEnd::status)
            .thenComparingInt(end -> end.event().attempt())
            .thenComparing(end -> new String(EventJson.write(end.event(), Instant.EPOCH), StandardCharsets.UTF_8))
            .thenComparingLong(JobEnd::millis);

    static @Nullable JobEnd of(EventRecord record) {
        return switch (record.event()) {
            case Finished event ->
                new JobEnd(event, Status.FINISHED, record.millis(), event.stoppedEarly(), record.worker());
            case Failed event -> new JobEnd(event, Status.FAILED, record.millis(), event.reason(), record.worker());
            case Cancelled event -> new JobEnd(event, Status.CANCELLED, record.millis(), null, record.worker());
            case Expanded event ->
                new JobEnd(
                        event,
                        Status.EXPANDED,
                        record.millis(),
                        "it was expanded into %d jobs, which have its id as group".formatted(event.trials()),
                        record.worker());
            case TrainingEvent.Claimed _,
                    TrainingEvent.Started _,
                    TrainingEvent.StepLosses _,
                    TrainingEvent.EpochTested _,
                    TrainingEvent.CheckpointSaved _,
                    TrainingEvent.Released _,
                    TrainingEvent.Paused _,
                    TrainingEvent.Resumed _ -> null;
        };
    }
}
