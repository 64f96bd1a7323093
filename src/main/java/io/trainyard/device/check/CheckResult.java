package io.trainyard.device.check;

/// The result of a check.
///
/// @param millis its duration
public record CheckResult(DeviceCheck check, CheckOutcome outcome, long millis) {}
