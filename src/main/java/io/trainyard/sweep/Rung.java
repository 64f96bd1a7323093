package io.trainyard.sweep;

import io.trainyard.checkpoint.GroupFolder;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The jobs of a group that were tested after the same number of epochs.
///
/// @param scores by the jobs' ids, the greater the better; NaN: it has failed, which is worse than all
public record Rung(Map<String, Double> scores) {
    private static final String FAILED = "failed";

    /// A rung: after this many epochs, one of `reductionFactor` jobs continues.
    record Place(int epochs, int reductionFactor) {}

    /// Of equals the first by its id.
    private static final Comparator<Map.Entry<String, Double>> BEST_FIRST = Comparator.comparing(
                    (Map.Entry<String, Double> job) -> job.getValue(),
                    Comparator.comparing((Double score) -> score.isNaN() ? Double.NEGATIVE_INFINITY : score)
                            .reversed())
            .thenComparing(Map.Entry::getKey);

    /// @param results as [#text] writes them; an invalid one counts as a failure
    static Rung of(Map<String, GroupFolder.Result> results) {
        Map<String, Double> scores = new LinkedHashMap<>();
        results.forEach((job, result) -> scores.put(job, score(result.text())));
        return new Rung(scores);
    }

    static String text(double score) {
        return Double.isNaN(score) ? FAILED : Double.toString(score);
    }

    private static double score(String text) {
        try {
            return text.equals(FAILED) ? Double.NaN : Double.parseDouble(text);
        } catch (NumberFormatException _) { // an unrelated file
            return Double.NaN;
        }
    }

    int places(int reductionFactor) {
        return scores.size() / reductionFactor;
    }

    /// Those that go on, the best first. None that has failed does.
    List<String> best(int reductionFactor) {
        return scores.entrySet().stream()
                .sorted(BEST_FIRST)
                .limit(places(reductionFactor))
                .filter(job -> !job.getValue().isNaN())
                .map(Map.Entry::getKey)
                .toList();
    }
}
