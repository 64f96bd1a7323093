package io.trainyard.device.check;

public record CheckResult(DeviceCheck check, CheckOutcome outcome, long millis) {}
