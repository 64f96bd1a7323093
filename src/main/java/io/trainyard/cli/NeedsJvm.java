package io.trainyard.cli;

/// A command that the native image does not have, for what it starts is more than a worker: Kafka's broker, the
/// dashboard, the tracking store (docs/decisions/20-the-native-image.md).
interface NeedsJvm {}
