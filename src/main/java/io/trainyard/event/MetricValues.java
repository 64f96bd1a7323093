package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.trainyard.spec.Printable;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Values of users' own metrics of a job, which any program may publish. They have no effect on the job.
///
/// @param step the step of the job, or another count of the publisher
/// @param time when they were measured; null means the time of the record
/// @param values by name, finite
@JsonIgnoreProperties(ignoreUnknown = true)
public record MetricValues(String job, Long step, @Nullable Instant time, Map<String, Double> values) {
    /// The maximum size of a record in bytes.
    public static final int MAX_BYTES = 1 << 16;

    /// The maximum number of metrics of a job.
    public static final int MAX_NAMES = 100;

    private static final Pattern NAME = Pattern.compile("(?=.{1,100}$)\\w[\\w.-]*(/\\w[\\w.-]*)*");

    private static final int SHOWN = 120;

    /// @throws IllegalArgumentException if a name or value is invalid
    public MetricValues {
        if (step == null || step < 0) { // null if it is missing in JSON
            throw new IllegalArgumentException("the step is %s; allowed are whole numbers from 0".formatted(step));
        }
        if (values == null || values.isEmpty() || values.size() > MAX_NAMES) {
            throw new IllegalArgumentException("there are %d values; allowed are 1 to %d, as {\"f1\": 0.91}"
                    .formatted(values == null ? 0 : values.size(), MAX_NAMES));
        }
        values.forEach((name, value) -> {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "a metric is named \"%s\"; allowed are 1 to 100 letters, digits, _ . - and, between parts, /; a part begins with a letter, a digit or _"
                                .formatted(Printable.text(name, SHOWN)));
            }
            if (value == null || !Double.isFinite(value)) {
                throw new IllegalArgumentException(
                        "the value of %s is %s; allowed are finite numbers; leave it out".formatted(name, value));
            }
        });
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }
}
