package io.trainyard.device;

/// @param name as jobs call it: `cpu`, `cuda:0`
/// @param model what it is, as its maker calls it: `NVIDIA H200`
/// @param description for people: the model, the library and its version
/// @param memoryBytes what sessions may use
public record DeviceInfo(String name, String model, String description, long memoryBytes) {}
