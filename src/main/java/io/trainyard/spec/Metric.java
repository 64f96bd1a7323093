package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What decides which of several tests is best: for early stopping, the best checkpoint, rungs and the order of
/// trials.
public enum Metric {
    @JsonProperty("accuracy")
    ACCURACY("accuracy", "accuracy"),

    @JsonProperty("loss")
    LOSS("loss", "loss"),

    @JsonProperty("macroF1")
    MACRO_F1("macroF1", "macro F1");

    private final String word;
    private final String label;

    Metric(String word, String label) {
        this.word = word;
        this.label = label;
    }

    /// The result of a test.
    public interface Tested {
        double testLoss();

        /// Null for regression.
        @Nullable
        Double testAccuracy();

        /// The job's metric; null if that is the accuracy or loss.
        @Nullable
        Double metricValue();
    }

    /// The metric of jobs that choose none.
    public static Metric usual(boolean regression) {
        return regression ? LOSS : ACCURACY;
    }

    /// The word in JSON; null if it is none.
    public static @Nullable Metric ofWord(@Nullable String word) {
        return Arrays.stream(values())
                .filter(metric -> metric.word.equals(word))
                .findFirst()
                .orElse(null);
    }

    /// The metric of a job; for an unknown job the usual one for its tests.
    public static Metric of(@Nullable JobSpec job, boolean regression) {
        return job == null ? usual(regression) : job.decidingMetric();
    }

    /// NaN if unknown.
    public double value(Tested test) {
        Double value = switch (this) {
            case ACCURACY -> test.testAccuracy();
            case LOSS -> Double.valueOf(test.testLoss());
            case MACRO_F1 -> test.metricValue();
        };
        return value == null ? Double.NaN : value;
    }

    /// Higher is better; NaN if unknown.
    public double score(Tested test) {
        return score(value(test));
    }

    /// Higher is better. Applied to a score, it returns the value.
    public double score(double value) {
        return this == LOSS ? -value : value;
    }

    /// For messages.
    public String label() {
        return label;
    }

    /// As in JSON.
    @Override
    public String toString() {
        return word;
    }
}
