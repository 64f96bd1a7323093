package io.trainyard.forecast;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What jobs take besides their steps, learnt from those that have run: before the first step, to have data and a
/// network ready, and after the last, to test and to write the last checkpoint. Of the levels at which jobs are alike,
/// the narrowest at which one has run tells it.
final class Besides {
    /// What is thought before anything is known.
    private static final double BEFORE_SECONDS = 2;

    private static final double AFTER_SECONDS = 0.5;

    private final Map<String, Mean> before = new HashMap<>();
    private final Map<String, Mean> after = new HashMap<>();

    /// Of logarithms, as all in a [PaceModel].
    private static final class Mean {
        private double sum;
        private int count;

        void add(double seconds) {
            sum += Math.log(seconds);
            count++;
        }

        double seconds() {
            return Math.exp(sum / count);
        }
    }

    /// @param levels from the narrowest on
    void learn(List<String> levels, double beforeSeconds, double afterSeconds) {
        for (String level : levels) {
            before.computeIfAbsent(level, _ -> new Mean()).add(beforeSeconds);
            after.computeIfAbsent(level, _ -> new Mean()).add(afterSeconds);
        }
    }

    double seconds(List<String> levels) {
        return of(before, levels, BEFORE_SECONDS) + afterSeconds(levels);
    }

    /// After the last step.
    double afterSeconds(List<String> levels) {
        return of(after, levels, AFTER_SECONDS);
    }

    private static double of(Map<String, Mean> means, List<String> levels, double otherwise) {
        for (String level : levels) {
            Mean known = means.get(level);
            if (known != null) {
                return known.seconds();
            }
        }
        return otherwise;
    }
}
