package io.trainyard.tracking;

import java.time.LocalDate;

/// On which days, and by what.
///
/// @param from the first day, in UTC
/// @param to the last day
public record UsageQuery(LocalDate from, LocalDate to, By by) {
    /// What device-hours are told by.
    public enum By {
        DAY,
        /// The kind of device.
        DEVICE,
        DATASET,
        NETWORK,
        WORKER,
        /// What the job is now.
        STATE
    }
}
