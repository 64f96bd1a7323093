package io.trainyard.device;

/// @param name as jobs call it: `cpu`, `cuda:0`
/// @param description for people: the processor's name, the library and its version
/// @param memoryBytes what sessions may use
public record DeviceInfo(String name, String description, long memoryBytes) {}
