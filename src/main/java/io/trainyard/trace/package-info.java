/// What OpenTelemetry is told of jobs: who asked for one, who took it, its epochs and checkpoints
/// (docs/how-to/trace-and-log.md). Off unless somebody names an exporter; then nothing of OpenTelemetry is loaded.
@NullMarked
package io.trainyard.trace;

import org.jspecify.annotations.NullMarked;
