package io.trainyard.tracking;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/// A user's metric of a job.
///
/// @param last the newest value of the last step
/// @param lastMillis its time, Unix time in ms
/// @param points some or all of its points, by step; the last one is among them
@JsonInclude
public record MetricPoints(String name, long lastStep, double last, long lastMillis, List<Point> points) {
    public record Point(long step, long millis, double value) {}
}
