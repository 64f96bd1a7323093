package io.trainyard.checkpoint;

import io.trainyard.device.SessionState;

/// Where a job stands after a step: enough to go on as if it had never stopped.
///
/// @param threads CPU threads it was trained with, which are part of what makes it repeatable
/// @param attempt the attempt that saved it
public record Checkpoint(SessionState state, Progress progress, int threads, int attempt) {}
