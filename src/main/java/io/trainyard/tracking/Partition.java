package io.trainyard.tracking;

/// A partition of a topic.
///
/// @param topic its id: one that is deleted and made anew is another one
public record Partition(String topic, int number) {}
