package io.trainyard.s3;

import java.net.URI;
import java.util.Objects;

/// A prefix in a bucket, as in `s3://bucket/prefix`.
///
/// @param prefix of each key; empty, or without slashes at its ends
public record S3Location(String bucket, String prefix) {
    public static final String SCHEME = "s3";

    private static final String BUCKET = "[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]";
    private static final String PREFIX = "[A-Za-z0-9][A-Za-z0-9._~-]*(/[A-Za-z0-9][A-Za-z0-9._~-]*)*";

    /// @throws IllegalArgumentException if it is not a valid location; the message omits parts of the URI that
    ///     could be secret
    public static S3Location of(URI uri) {
        String bucket = Objects.requireNonNullElse(uri.getRawAuthority(), "");
        if (bucket.contains("@") || uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "an s3:// URI has more than a bucket and a prefix; allowed is s3://bucket/prefix: credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or from AWS's files");
        }
        String prefix = Objects.requireNonNullElse(uri.getRawPath(), "").replaceAll("^/|/$", "");
        if (!bucket.matches(BUCKET) || !(prefix.isEmpty() || prefix.matches(PREFIX))) {
            throw new IllegalArgumentException(
                    "%s names no place in a bucket; allowed is s3://bucket/prefix with a bucket of 3 to 63 lower-case letters, digits, dots and hyphens, and a prefix of letters, digits, ., _, ~, - and /"
                            .formatted(uri));
        }
        return new S3Location(bucket, prefix);
    }

    /// The full key in the bucket of a key below this prefix.
    String full(String key) {
        return prefix.isEmpty() ? key : prefix + "/" + key;
    }

    /// The key below this prefix of a full key.
    String key(String full) {
        return prefix.isEmpty() ? full : full.substring(prefix.length() + 1);
    }

    public URI uri(String key) {
        return URI.create("%s://%s/%s".formatted(SCHEME, bucket, full(key)));
    }

    @Override
    public String toString() {
        return "%s://%s%s".formatted(SCHEME, bucket, prefix.isEmpty() ? "" : "/" + prefix);
    }
}
