package io.trainyard.device;

/// What `auto` means on this machine.
///
/// @param kind the backend's, such as `cpu`
/// @param reason why this kind and none before it, for people: `cuda is not available: ...`
public record DeviceChoice(String kind, String reason) {}
