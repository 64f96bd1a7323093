package io.trainyard.checkpoint;

import io.trainyard.device.DeviceChoices;
import io.trainyard.device.SessionState;
import java.util.List;

/// Where a job stands after a step: enough to go on as if it had never stopped.
///
/// @param threads CPU threads it was trained with, which are part of what makes it repeatable
/// @param choices what its devices chose by measuring, which is part of that, too
/// @param attempt the attempt that saved it
/// @param pending events up to this step, as JSON, that the brokers had not acknowledged: whoever goes on from here
///     publishes them again, for nobody else may have them
public record Checkpoint(
        SessionState state, Progress progress, int threads, DeviceChoices choices, int attempt, List<String> pending) {
    /// Of devices that measure nothing.
    public Checkpoint(SessionState state, Progress progress, int threads, int attempt, List<String> pending) {
        this(state, progress, threads, DeviceChoices.NONE, attempt, pending);
    }

    public Checkpoint {
        pending = List.copyOf(pending);
    }
}
