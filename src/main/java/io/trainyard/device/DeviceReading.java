package io.trainyard.device;

import org.jspecify.annotations.Nullable;

/// Metrics of a device from its driver at one moment; null if unknown.
///
/// @param device as in jobs: `cuda:0`
/// @param utilization share of the last moments, up to a second, in which it was computing: 0 to 1
/// @param memoryUsedBytes of all processes
/// @param powerWatts current draw
/// @param energyJoules consumed since the driver was loaded; only differences are meaningful
public record DeviceReading(
        String device,
        @Nullable Double utilization,
        @Nullable Long memoryUsedBytes,
        @Nullable Long memoryTotalBytes,
        @Nullable Double powerWatts,
        @Nullable Double energyJoules,
        @Nullable Double temperatureCelsius) {}
