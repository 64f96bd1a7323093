package io.trainyard.s3;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The connection to buckets. Credentials are not included: the AWS SDK finds them in its usual places.
///
/// @param endpoint a server other than AWS; null: AWS in the region
/// @param region null: from the AWS configuration files
/// @param pathStyle whether the bucket's name is in the path instead of the host name
/// @param encryption of objects on the server; null: the bucket's default
/// @param kmsKey the key for `aws:kms`; null: the account's default
/// @param timeout of a request including its retries
/// @param partBytes size of the parts of large objects; one part is in memory at a time
public record S3Settings(
        @Nullable URI endpoint,
        @Nullable String region,
        boolean pathStyle,
        @Nullable Encryption encryption,
        @Nullable String kmsKey,
        Duration timeout,
        int partBytes) {
    /// The server refuses parts below 5 MiB, and more than 10,000 parts.
    static final int MIN_PART_BYTES = 5 << 20;

    /// Allows objects of 80 GB.
    private static final int PART_BYTES = 8 << 20;

    private static final String DEFAULT_TIMEOUT = "60s";

    /// For servers without regions; a signature still needs one.
    private static final String ANY_REGION = "us-east-1";

    /// The owner of the key.
    public enum Encryption {
        AES256("AES256"),
        KMS("aws:kms");

        private final String header;

        Encryption(String header) {
            this.header = header;
        }

        String header() {
            return header;
        }

        private static Encryption of(String name) {
            for (Encryption encryption : values()) {
                if (encryption.header.equals(name)) {
                    return encryption;
                }
            }
            throw new IllegalArgumentException(
                    "TRAINYARD_S3_ENCRYPTION is \"%s\"; allowed is AES256 or aws:kms".formatted(name));
        }
    }

    public S3Settings {
        if (partBytes < MIN_PART_BYTES) {
            throw new IllegalArgumentException(
                    "a part has %d bytes; allowed is %d and more".formatted(partBytes, MIN_PART_BYTES));
        }
    }

    public static S3Settings ofEnvironment() {
        return of(System.getenv());
    }

    /// @throws IllegalArgumentException if a value is not allowed
    public static S3Settings of(Map<String, String> environment) {
        URI endpoint = endpoint(environment);
        String region = first(environment, "AWS_REGION", "AWS_DEFAULT_REGION");
        String kmsKey = first(environment, "TRAINYARD_S3_KMS_KEY");
        String encryption = first(environment, "TRAINYARD_S3_ENCRYPTION");
        Encryption chosen = encryption == null ? null : Encryption.of(encryption);
        if (kmsKey != null && chosen != Encryption.KMS) {
            throw new IllegalArgumentException(
                    "TRAINYARD_S3_KMS_KEY is set, and TRAINYARD_S3_ENCRYPTION is not aws:kms; set both, or none");
        }
        return new S3Settings(
                endpoint,
                region == null && endpoint != null ? ANY_REGION : region,
                pathStyle(first(environment, "TRAINYARD_S3_ADDRESSING"), endpoint != null),
                chosen,
                kmsKey,
                timeout(Objects.requireNonNullElse(first(environment, "TRAINYARD_S3_TIMEOUT"), DEFAULT_TIMEOUT)),
                PART_BYTES);
    }

    private static @Nullable URI endpoint(Map<String, String> environment) {
        String named = first(environment, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
        if (named == null) {
            return null; // AWS
        }
        try {
            URI uri = new URI(named);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            if ((scheme.equals("http") || scheme.equals("https"))
                    && uri.getHost() != null
                    && uri.getUserInfo() == null) {
                return uri;
            }
        } catch (URISyntaxException _) { // reported below, without possible secrets
        }
        throw new IllegalArgumentException(
                "AWS_ENDPOINT_URL_S3 (or AWS_ENDPOINT_URL) is not the address of a server; allowed is https://host:port, without a user");
    }

    private static boolean pathStyle(@Nullable String addressing, boolean ofEndpoint) {
        return switch (addressing) {
            case null -> ofEndpoint;
            case "path" -> true;
            case "virtual" -> false;
            default ->
                throw new IllegalArgumentException(
                        "TRAINYARD_S3_ADDRESSING is \"%s\"; allowed is path (https://host/bucket) or virtual (https://bucket.host)"
                                .formatted(addressing));
        };
    }

    private static Duration timeout(String text) {
        if (!text.matches("[1-9][0-9]{0,3}s")) {
            throw new IllegalArgumentException(
                    "TRAINYARD_S3_TIMEOUT is \"%s\"; allowed is 1s to 9999s".formatted(text));
        }
        return Duration.ofSeconds(Integer.parseInt(text.substring(0, text.length() - 1)));
    }

    /// The first of the variables that is set and not blank; null if none is.
    private static @Nullable String first(Map<String, String> environment, String... names) {
        for (String name : names) {
            String value = environment.get(name);
            if (value != null && !value.isBlank()) {
                return value;
            }
        }
        return null;
    }
}
