package io.trainyard.sweep;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.spec.JobSpec;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The jobs of a group side by side, the best first: what they were given that differs, and how far and how good each
/// is.
///
/// @param fields the paths in which the jobs differ
/// @param metric by which they are compared: `accuracy`, or where numbers are predicted `loss`
/// @param states how many there are in each state
/// @param trials the best first; those that were not tested yet last
public record SweepView(
        String group, List<String> fields, String metric, Map<String, Long> states, List<Trial> trials) {
    public static final String LOSS = "loss";
    private static final String ACCURACY = "accuracy";
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /// A longer value, as of a network's layers, is cut: there may be a thousand of it.
    private static final int MAX_VALUE = 200;

    /// All ids differ, and all groups are the same.
    private static final Set<String> NAMES = Set.of("id", "group");

    /// One of the jobs.
    ///
    /// @param values of the fields, as JSON, a long one cut; a field that the job has not is left out
    /// @param epochs that were tested
    /// @param ofEpochs that the job has; 0 where that is not known
    /// @param best of its tests so far; null before the first
    /// @param last of its tests; null before the first
    /// @param rung the last after which it was asked whether it is among the best, in epochs; null: none yet
    /// @param reason why it waits, rests or has ended as it has
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Trial(
            String job,
            Status state,
            Map<String, JsonNode> values,
            int epochs,
            int ofEpochs,
            @Nullable Double best,
            @Nullable Double last,
            @Nullable Integer rung,
            @Nullable String reason) {}

    /// A job of the group, as far as it matters here.
    ///
    /// @param spec null where it is not known
    /// @param epochs that were tested
    /// @param best of its tests, the highest accuracy or the lowest loss; null before the first
    /// @param last of its tests; null before the first
    public record Member(
            String job,
            Status state,
            @Nullable JobSpec spec,
            int epochs,
            @Nullable Double best,
            @Nullable Double last,
            @Nullable String reason) {
        static Member of(JobState job) {
            JobSpec spec = job.spec();
            boolean regression = spec != null && spec.loss().isRegression();
            List<Double> results = job.epochs().stream()
                    .map(test -> regression ? (Double) test.testLoss() : test.testAccuracy())
                    .filter(result -> result != null && !result.isNaN())
                    .toList();
            Comparator<Double> better = regression ? Comparator.reverseOrder() : Comparator.naturalOrder();
            return new Member(
                    job.job(),
                    job.status(),
                    spec,
                    job.epochs().isEmpty() ? 0 : job.epochs().getLast().epoch() + 1,
                    results.stream().max(better).orElse(null),
                    results.isEmpty() ? null : results.getLast(),
                    job.reason());
        }
    }

    /// Whether a job belongs to a group. A sweep belongs to its own until its trials are there.
    public static boolean has(String group, JobState job) {
        JobSpec spec = job.spec();
        boolean isSweep = job.job().equals(group) && spec != null && spec.sweep() != null;
        return (spec != null && group.equals(spec.group())) || (isSweep && job.status() != Status.EXPANDED);
    }

    /// @param jobs of the group
    public static SweepView ofStates(String group, Collection<JobState> jobs) {
        return of(group, jobs.stream().map(Member::of).toList());
    }

    /// @param jobs of the group
    public static SweepView of(String group, Collection<Member> jobs) {
        Map<String, Map<String, JsonNode>> leaves = new LinkedHashMap<>();
        jobs.forEach(job -> leaves.put(job.job(), leaves(job.spec())));
        List<String> fields = differing(leaves.values());
        boolean regression = jobs.stream()
                .map(Member::spec)
                .anyMatch(spec -> spec != null && spec.loss().isRegression());
        Map<String, Long> states = new TreeMap<>();
        jobs.forEach(job -> states.merge(job.state().word(), 1L, Long::sum));
        List<Trial> trials = jobs.stream()
                .map(job -> trial(job, leaves.getOrDefault(job.job(), Map.of()), fields))
                .sorted(order(regression))
                .toList();
        return new SweepView(group, fields, regression ? LOSS : ACCURACY, states, trials);
    }

    private static Comparator<Trial> order(boolean regression) {
        Comparator<Double> better = regression ? Comparator.naturalOrder() : Comparator.reverseOrder();
        return Comparator.comparing(Trial::best, Comparator.nullsLast(better)).thenComparing(Trial::job);
    }

    private static Trial trial(Member job, Map<String, JsonNode> leaves, List<String> fields) {
        Map<String, JsonNode> values = new LinkedHashMap<>();
        fields.stream().filter(leaves::containsKey).forEach(field -> values.put(field, shown(leaves.get(field))));
        JobSpec spec = job.spec();
        return new Trial(
                job.job(),
                job.state(),
                values,
                job.epochs(),
                spec == null ? 0 : spec.epochs(),
                job.best(),
                job.last(),
                rung(spec, job.epochs()),
                job.reason());
    }

    private static @Nullable JsonNode shown(@Nullable JsonNode value) {
        String text = String.valueOf(value);
        return text.length() <= MAX_VALUE ? value : TextNode.valueOf(text.substring(0, MAX_VALUE) + "…");
    }

    private static @Nullable Integer rung(@Nullable JobSpec spec, int epochs) {
        return spec == null || spec.asha() == null
                ? null
                : spec.asha().rungs(spec.epochs()).stream()
                        .filter(rung -> rung <= epochs)
                        .reduce((_, later) -> later)
                        .orElse(null);
    }

    /// The paths that are not the same in all, in the order of jobs' fields.
    private static List<String> differing(Collection<Map<String, JsonNode>> jobs) {
        Set<String> paths = new LinkedHashSet<>();
        jobs.forEach(job -> paths.addAll(job.keySet()));
        return paths.stream()
                .filter(path -> jobs.stream()
                                .filter(job -> !job.isEmpty())
                                .map(job -> String.valueOf(job.get(path)))
                                .distinct()
                                .count()
                        > 1)
                .toList();
    }

    private static Map<String, JsonNode> leaves(@Nullable JobSpec spec) {
        Map<String, JsonNode> leaves = new LinkedHashMap<>();
        if (spec != null) {
            MAPPER.<ObjectNode>valueToTree(spec).properties().stream()
                    .filter(field -> !NAMES.contains(field.getKey()))
                    .forEach(field -> collect(field.getKey(), field.getValue(), leaves));
        }
        return leaves;
    }

    private static void collect(String path, JsonNode value, Map<String, JsonNode> leaves) {
        if (value.isObject()) {
            value.properties().forEach(field -> collect(path + "." + field.getKey(), field.getValue(), leaves));
        } else {
            leaves.put(path, value);
        }
    }
}
