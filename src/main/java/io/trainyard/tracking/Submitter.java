package io.trainyard.tracking;

/// Somebody who submits jobs by the dashboard.
///
/// @param id tells them from everybody else
/// @param name for people; others may have the same
public record Submitter(String id, String name) {}
