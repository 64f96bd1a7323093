package io.trainyard.export;

import io.trainyard.tracking.LossSpan;
import io.trainyard.tracking.MetricPoints;
import java.io.Closeable;
import java.io.IOException;

/// Writes jobs in some format: of each its beginning, its losses in order, its metrics, its end.
public interface JobExporter extends Closeable {
    void begin(ExportedJob job) throws IOException;

    /// Losses of the job that was begun last.
    void losses(LossSpan span) throws IOException;

    /// A user's metric of the job that was begun last, after its losses.
    void metric(MetricPoints metric) throws IOException;

    /// The job that was begun last is whole.
    void end() throws IOException;

    /// Completes the export. If it is closed without this call, no incomplete file remains.
    void finish() throws IOException;
}
