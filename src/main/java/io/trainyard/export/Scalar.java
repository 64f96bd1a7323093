package io.trainyard.export;

/// A scalar of an event file.
///
/// @param seconds when it was written, since 1970
record Scalar(String tag, long step, double seconds, float value) {}
