package io.trainyard.device;

/// @param name as in jobs: `cpu`, `cuda:0`
/// @param model the product name: `NVIDIA H200`
/// @param description for display: the model, the library and its version
/// @param memoryBytes available to sessions
public record DeviceInfo(String name, String model, String description, long memoryBytes) {}
