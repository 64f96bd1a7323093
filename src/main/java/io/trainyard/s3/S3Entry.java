package io.trainyard.s3;

/// An object as a bucket lists it.
///
/// @param bytes its size
/// @param tag what the server calls these very bytes: those of another size or content have another one
public record S3Entry(String key, long bytes, String tag) {}
