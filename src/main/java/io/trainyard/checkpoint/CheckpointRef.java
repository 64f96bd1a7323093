package io.trainyard.checkpoint;

import java.net.URI;

/// A stored object.
///
/// @param sha256 of its bytes, hexadecimal
/// @param bytes its size
public record CheckpointRef(URI uri, String sha256, long bytes) {}
