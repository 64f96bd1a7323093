package io.trainyard.data.bucket;

import io.trainyard.data.DatasetException;
import java.util.Objects;

/// The most disk space for a cache, such as `100G`.
public record CacheSize(long bytes) {
    private static final String UNITS = "MGT";
    private static final String VARIABLE = "TRAINYARD_DATA_CACHE_LIMIT";
    private static final String DEFAULT = "100G";

    public static CacheSize ofEnvironment() {
        try {
            return parse(Objects.requireNonNullElse(System.getenv(VARIABLE), DEFAULT));
        } catch (IllegalArgumentException e) {
            throw new DatasetException(String.valueOf(e.getMessage()), e);
        }
    }

    /// @throws IllegalArgumentException if it is not a valid size
    public static CacheSize parse(String text) {
        if (!text.matches("[1-9][0-9]{0,5}[" + UNITS + "]")) {
            throw new IllegalArgumentException(
                    "TRAINYARD_DATA_CACHE_LIMIT is \"%s\"; allowed is 1M to 999999T, in units of 1000".formatted(text));
        }
        long number = Long.parseLong(text.substring(0, text.length() - 1));
        int power = 2 + UNITS.indexOf(text.charAt(text.length() - 1));
        return new CacheSize(number * (long) Math.pow(1000, power));
    }
}
