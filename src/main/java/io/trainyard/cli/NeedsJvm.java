package io.trainyard.cli;

/// Marks commands that the native image does not have, because they start Kafka's broker, the dashboard or the
/// tracking store (docs/contributing/decisions/20-native-image.md).
interface NeedsJvm {}
