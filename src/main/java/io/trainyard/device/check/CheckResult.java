package io.trainyard.device.check;

/// What came of a check.
///
/// @param millis how long it took
public record CheckResult(DeviceCheck check, CheckOutcome outcome, long millis) {}
