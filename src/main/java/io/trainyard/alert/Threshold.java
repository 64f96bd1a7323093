package io.trainyard.alert;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A limit for a metric.
///
/// @param metric `train_loss`, `test_loss` or `test_accuracy`
/// @param above whether values above the limit give an alert; otherwise values below it do
public record Threshold(String metric, boolean above, double value) {
    static final String TRAIN_LOSS = "train_loss";
    static final String TEST_LOSS = "test_loss";
    static final String TEST_ACCURACY = "test_accuracy";

    private static final List<String> METRICS = List.of(TRAIN_LOSS, TEST_LOSS, TEST_ACCURACY);
    private static final Pattern FORM = Pattern.compile("\\s*([a-z_]+)\\s*([<>])\\s*([-+0-9.eE]+)\\s*");

    /// Parses the format of the settings: `test_accuracy<0.5`.
    ///
    /// @throws IllegalArgumentException if it is invalid
    public static Threshold read(String text) {
        Matcher parts = FORM.matcher(text);
        if (parts.matches() && METRICS.contains(parts.group(1))) {
            try {
                return new Threshold(parts.group(1), parts.group(2).equals(">"), Double.parseDouble(parts.group(3)));
            } catch (NumberFormatException _) { // reported below
            }
        }
        throw new IllegalArgumentException(
                "the threshold \"%s\" is not valid; allowed are %s, then < or >, then a number"
                        .formatted(text.strip(), String.join(", ", METRICS)));
    }

    boolean isPassedBy(double number) {
        return above ? number > value : number < value;
    }

    String text() {
        return metric + (above ? ">" : "<") + value;
    }
}
