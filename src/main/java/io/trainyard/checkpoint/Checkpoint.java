package io.trainyard.checkpoint;

import io.trainyard.device.DeviceChoices;
import io.trainyard.device.SessionState;
import io.trainyard.spec.TargetScale;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The complete state of a job after a step. A job that resumes from it gives the same bits as without the
/// interruption.
///
/// @param targets the scale of its targets, for regression; null: as in the dataset
/// @param threads CPU threads with which it was trained; needed to reproduce the run
/// @param choices what the devices chose by measuring; also needed to reproduce the run
/// @param attempt the attempt that saved it
/// @param pending events up to this step, as JSON, that the brokers had not acknowledged. The attempt that
///     resumes from here publishes them again
public record Checkpoint(
        SessionState state,
        @Nullable TargetScale targets,
        Progress progress,
        int threads,
        DeviceChoices choices,
        int attempt,
        List<String> pending) {
    /// Creates a checkpoint of targets as in the dataset.
    public Checkpoint(
            SessionState state,
            Progress progress,
            int threads,
            DeviceChoices choices,
            int attempt,
            List<String> pending) {
        this(state, null, progress, threads, choices, attempt, pending);
    }

    /// Creates a checkpoint of devices that measure nothing.
    public Checkpoint(SessionState state, Progress progress, int threads, int attempt, List<String> pending) {
        this(state, progress, threads, DeviceChoices.NONE, attempt, pending);
    }

    public Checkpoint {
        pending = List.copyOf(pending);
    }
}
