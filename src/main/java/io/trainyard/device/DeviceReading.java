package io.trainyard.device;

import org.jspecify.annotations.Nullable;

/// What a device's driver says of it at one moment; null for what it does not tell.
///
/// @param device as jobs call it: `cuda:0`
/// @param utilization the part of the last moments, up to a second, in which it computed something: 0 to 1
/// @param memoryUsedBytes by whomever
/// @param powerWatts that it draws
/// @param energyJoules that it has drawn since the driver was loaded: differences are what counts
public record DeviceReading(
        String device,
        @Nullable Double utilization,
        @Nullable Long memoryUsedBytes,
        @Nullable Long memoryTotalBytes,
        @Nullable Double powerWatts,
        @Nullable Double energyJoules,
        @Nullable Double temperatureCelsius) {}
