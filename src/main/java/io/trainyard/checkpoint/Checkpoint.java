package io.trainyard.checkpoint;

import io.trainyard.device.DeviceChoices;
import io.trainyard.device.SessionState;
import java.util.List;

/// The complete state of a job after a step. A job that resumes from it gives the same bits as without the
/// interruption.
///
/// @param threads CPU threads with which it was trained; needed to reproduce the run
/// @param choices what the devices chose by measuring; also needed to reproduce the run
/// @param attempt the attempt that saved it
/// @param pending events up to this step, as JSON, that the brokers had not acknowledged. The attempt that
///     resumes from here publishes them again
public record Checkpoint(
        SessionState state, Progress progress, int threads, DeviceChoices choices, int attempt, List<String> pending) {
    /// Creates a checkpoint of devices that measure nothing.
    public Checkpoint(SessionState state, Progress progress, int threads, int attempt, List<String> pending) {
        this(state, progress, threads, DeviceChoices.NONE, attempt, pending);
    }

    public Checkpoint {
        pending = List.copyOf(pending);
    }
}
