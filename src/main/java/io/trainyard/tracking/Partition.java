package io.trainyard.tracking;

/// A partition of a topic.
///
/// @param topic its id, which changes if the topic is deleted and created again
public record Partition(String topic, int number) {}
