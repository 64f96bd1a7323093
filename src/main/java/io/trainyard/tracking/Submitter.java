package io.trainyard.tracking;

/// A signed-in user of the dashboard.
///
/// @param id identifies the user
/// @param name the display name, which need not be unique
public record Submitter(String id, String name) {}
