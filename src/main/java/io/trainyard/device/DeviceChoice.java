package io.trainyard.device;

/// The device that `auto` selects on this machine.
///
/// @param kind the backend's, such as `cpu`
/// @param reason why this kind was selected and no preferred one, for display: `cuda is not available: ...`
public record DeviceChoice(String kind, String reason) {}
