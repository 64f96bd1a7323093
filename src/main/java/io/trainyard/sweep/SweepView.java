package io.trainyard.sweep;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.spec.JobField;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Metric;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The jobs of a group, best first, with the fields in which they differ, their progress and results.
///
/// @param fields the paths in which the jobs differ
/// @param metric for the comparison
/// @param states number of jobs by state
/// @param trials best first; untested ones last
public record SweepView(
        String group, List<String> fields, Metric metric, Map<String, Long> states, List<Trial> trials) {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /// A longer value, as of a network's layers, is cut: there may be a thousand of it.
    private static final int MAX_VALUE = 200;

    /// All ids differ, and all groups are the same.
    private static final Set<String> NAMES = Set.of("id", "group");

    /// One of the jobs.
    ///
    /// @param values of the fields, as JSON; long ones are shortened, missing ones omitted
    /// @param epochs completed
    /// @param ofEpochs total; 0 if unknown
    /// @param best of its tests; null before the first
    /// @param last of its tests; null before the first
    /// @param rung its last rung, in epochs; null before the first
    /// @param reason why it waits, is paused, or ended
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
            @Nullable String reason) {
        /// Without values; [Table] adds those that differ.
        ///
        /// @param spec null if unknown
        public static Trial of(
                String job,
                Status state,
                @Nullable JobSpec spec,
                int epochs,
                @Nullable Double best,
                @Nullable Double last,
                @Nullable String reason) {
            int ofEpochs = spec == null ? 0 : spec.epochs();
            return new Trial(job, state, Map.of(), epochs, ofEpochs, best, last, lastRung(spec, epochs), reason);
        }

        private static Trial of(JobState job) {
            JobSpec spec = job.spec();
            Metric metric = Metric.of(spec, false);
            List<Double> results = job.epochs().stream()
                    .map(metric::value)
                    .filter(result -> !result.isNaN())
                    .toList();
            return of(
                    job.job(),
                    job.status(),
                    spec,
                    job.epochs().isEmpty() ? 0 : job.epochs().getLast().epoch() + 1,
                    results.stream()
                            .max(Comparator.comparingDouble(metric::score))
                            .orElse(null),
                    results.isEmpty() ? null : results.getLast(),
                    job.reason());
        }

        private Trial with(Map<String, JsonNode> its) {
            return new Trial(job, state, its, epochs, ofEpochs, best, last, rung, reason);
        }
    }

    /// Whether a job belongs to a group. A sweep belongs to its own until its trials are there.
    public static boolean has(String group, JobState job) {
        JobSpec spec = job.spec();
        boolean isSweep = job.job().equals(group) && spec != null && spec.sweep() != null;
        return (spec != null && group.equals(spec.group())) || (isSweep && job.status() != Status.EXPANDED);
    }

    public static SweepView ofStates(String group, Collection<JobState> jobs) {
        Table table = new Table(group);
        jobs.forEach(job -> table.add(Trial.of(job), job.spec()));
        return table.view();
    }

    /// Makes a view from its jobs, one after another. Of each it keeps only the values that differ from those of
    /// the first: their commands together may be larger than the heap. Not thread-safe.
    public static final class Table {
        private final String group;
        private final Map<String, Value> first = new LinkedHashMap<>();
        private final Set<String> fields = new LinkedHashSet<>();
        private final List<Row> rows = new ArrayList<>();
        private Metric metric = Metric.ACCURACY;

        /// A job without the values that are those of the first job.
        ///
        /// @param differing null: the job has no such value
        private record Row(Trial trial, boolean isKnown, Map<String, @Nullable Value> differing) {}

        public Table(String group) {
            this.group = group;
        }

        public boolean isEmpty() {
            return rows.isEmpty();
        }

        /// @param spec null where it is not known
        public void add(Trial trial, @Nullable JobSpec spec) {
            Map<String, @Nullable Value> differing = new LinkedHashMap<>();
            if (spec != null) {
                metric = metric == Metric.LOSS ? metric : spec.decidingMetric();
                Map<String, Value> values = values(spec);
                if (first.isEmpty()) {
                    first.putAll(values);
                }
                values.forEach((field, value) -> {
                    if (!value.equals(first.get(field))) {
                        differing.put(field, value);
                    }
                });
                first.keySet().stream()
                        .filter(field -> !values.containsKey(field))
                        .forEach(field -> differing.put(field, null));
                fields.addAll(differing.keySet());
            }
            rows.add(new Row(trial, spec != null, differing));
        }

        public SweepView view() {
            List<String> order = Stream.concat(first.keySet().stream(), fields.stream())
                    .distinct()
                    .filter(fields::contains)
                    .toList();
            Map<String, Long> states = new TreeMap<>();
            rows.forEach(row -> states.merge(row.trial().state().word(), 1L, Long::sum));
            List<Trial> trials = rows.stream()
                    .map(row -> row.trial().with(shown(row, order)))
                    .sorted(order(metric))
                    .toList();
            return new SweepView(group, order, metric, states, trials);
        }

        private Map<String, JsonNode> shown(Row row, List<String> order) {
            Map<String, JsonNode> shown = new LinkedHashMap<>();
            for (String field : row.isKnown() ? order : List.<String>of()) {
                Value value =
                        row.differing().containsKey(field) ? row.differing().get(field) : first.get(field);
                if (value != null) {
                    shown.put(field, value.shown());
                }
            }
            return shown;
        }
    }

    /// A value of a field; a long one is shortened, with a part that distinguishes it from others.
    private record Value(JsonNode shown, int length, int hash) {
        static Value of(JsonNode value) {
            String text = String.valueOf(value);
            return new Value(
                    text.length() <= MAX_VALUE ? value : TextNode.valueOf(text.substring(0, MAX_VALUE) + "…"),
                    text.length(),
                    text.hashCode());
        }
    }

    private static Comparator<Trial> order(Metric metric) {
        Comparator<Double> better =
                Comparator.comparingDouble((Double best) -> metric.score(best)).reversed();
        return Comparator.comparing(Trial::best, Comparator.nullsLast(better)).thenComparing(Trial::job);
    }

    private static @Nullable Integer lastRung(@Nullable JobSpec spec, int epochs) {
        return spec == null || spec.asha() == null
                ? null
                : spec.asha().rungs(spec.epochs()).stream()
                        .filter(rung -> rung <= epochs)
                        .reduce((_, later) -> later)
                        .orElse(null);
    }

    private static Map<String, Value> values(JobSpec spec) {
        Map<String, Value> values = new LinkedHashMap<>();
        JobField.values(MAPPER.valueToTree(spec)).forEach((field, value) -> values.put(field, Value.of(value)));
        values.keySet().removeAll(NAMES);
        return values;
    }
}
