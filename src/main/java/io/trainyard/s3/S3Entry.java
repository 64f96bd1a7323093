package io.trainyard.s3;

/// An object in a listing of a bucket.
///
/// @param bytes its size
/// @param tag the server's ETag, which changes with the content
public record S3Entry(String key, long bytes, String tag) {}
