package io.trainyard.event;

import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Expanded;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// The end of a job.
///
/// @param millis when, since 1970
/// @param reason why it failed, or finished before its last epoch
/// @param worker who tells it; null: it is not known
record JobEnd(
        TrainingEvent event,
        Status status,
        long millis,
        @Nullable String reason,
        @Nullable String worker) {
    /// Which of two ends counts: the first. The store of the checkpoints lets only one be told, perhaps more than
    /// once; should there be two all the same, every reader takes the same one.
    static final Comparator<JobEnd> ORDER = Comparator.comparing(JobEnd::status)
            .thenComparingInt(end -> end.event().attempt())
            .thenComparing(end -> end.event().toString())
            .thenComparingLong(JobEnd::millis);

    /// Null where the event is not the end of its job.
    static @Nullable JobEnd of(Happened news) {
        return switch (news.event()) {
            case Finished event ->
                new JobEnd(event, Status.FINISHED, news.millis(), event.stoppedEarly(), news.worker());
            case Failed event -> new JobEnd(event, Status.FAILED, news.millis(), event.reason(), news.worker());
            case Cancelled event -> new JobEnd(event, Status.CANCELLED, news.millis(), null, news.worker());
            case Expanded event ->
                new JobEnd(
                        event,
                        Status.EXPANDED,
                        news.millis(),
                        "it is %d jobs now, which have its id as group".formatted(event.trials()),
                        news.worker());
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
