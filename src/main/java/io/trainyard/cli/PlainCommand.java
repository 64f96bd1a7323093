package io.trainyard.cli;

/// A command that runs without Quarkus; [Trainyard] gives it [PlainLogging].
interface PlainCommand {}
