package io.trainyard.sweep;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobLimits;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.SweepSpec;
import io.trainyard.spec.SweepValues;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjIntConsumer;
import java.util.stream.Collectors;

/// The jobs of a sweep. The result depends only on the sweep, so trials that are published twice are
/// duplicates.
public final class Trials {
    /// Of all trials together, as commands: one command of 1 MiB must not become a thousand of them.
    static final long MAX_BYTES = 64L << 20;

    private final JobSpec sweep;
    private final TrialJson json;
    private final TrialNames names;

    private Trials(JobSpec sweep, SweepSpec fields, int count) {
        this.sweep = sweep;
        this.json = new TrialJson(sweep);
        this.names = new TrialNames(sweep.id(), fields.fields(), count);
    }

    /// The jobs that a job stands for: itself, unless it is a sweep.
    ///
    /// @throws InvalidJobException if one of them is no job; names the fields' paths and values
    public static List<JobSpec> of(JobSpec job) {
        List<JobSpec> jobs = new ArrayList<>();
        forEach(job, (trial, _) -> jobs.add(trial));
        return jobs;
    }

    /// Passes on one trial after the other. Only one is in memory at a time.
    ///
    /// @param reader gets each trial, and its bytes as a command; may throw [InvalidJobException] to refuse it
    /// @throws InvalidJobException if one of them is no job; names the fields' paths and values
    public static void forEach(JobSpec job, ObjIntConsumer<JobSpec> reader) {
        SweepSpec fields = job.sweep();
        if (fields == null) {
            reader.accept(job, bytes(job));
            return;
        }
        fields.fields().keySet().forEach(Trials::requireSweepable);
        int count = count(job);
        Trials trials = new Trials(job, fields, count);
        fields.fields().keySet().forEach(trials::requireWholePath);
        List<Map<String, JsonNode>> all =
                job.random() == null ? grid(fields, count) : trials.draws(fields, job.random());
        Comparability comparability = new Comparability(job.asha(), count);
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            JobSpec trial = trials.trial(i, all.get(i));
            comparability.require(trial);
            int length = bytes(trial);
            JobJson.requireLength(length);
            bytes += length;
            if (bytes > MAX_BYTES) {
                throw new InvalidJobException(
                        "the sweep's trials have more than %d bytes together; sweep less at a time, or a smaller job"
                                .formatted(MAX_BYTES));
            }
            trials.pass(trial, i, all.get(i), length, reader);
        }
    }

    private static int bytes(JobSpec job) {
        return JobJson.command(job).json().toString().getBytes(StandardCharsets.UTF_8).length;
    }

    /// How many jobs a job stands for.
    ///
    /// @throws InvalidJobException if they are more than any fleet takes
    public static int count(JobSpec job) {
        SweepSpec fields = job.sweep();
        if (fields == null) {
            return 1;
        }
        if (job.random() != null && fields.hasRanges()) {
            return job.random();
        }
        long count = 1;
        for (SweepValues values : fields.fields().values()) {
            count *= ((SweepValues.Choices) values).values().size();
            if (job.random() != null && count >= job.random()) {
                return job.random();
            }
            if (count > JobLimits.MAX_TRIALS) {
                throw new InvalidJobException(
                        "the sweep has more than %d combinations, the largest number allowed; give it fewer values, or set random to the number of trials to draw"
                                .formatted(JobLimits.MAX_TRIALS));
            }
        }
        if (job.random() != null) {
            throw new InvalidJobException(
                    "random is %d, and the sweep's lists have no more than %d combinations; leave random out, and each is a trial"
                            .formatted(job.random(), count));
        }
        return (int) count;
    }

    /// What makes a trial one of its sweep is not varied, and of a type all fields depend.
    private static void requireSweepable(String path) {
        String field = path.split("\\.", 2)[0];
        if (List.of("id", "group", "project", "sweep", "random", "asha", "kind").contains(field)) {
            throw new InvalidJobException(
                    "sweep.%s is given, but all trials of a sweep share %s, or have their own; leave it out"
                            .formatted(path, field));
        }
        if (path.endsWith(".type")) {
            String object = path.substring(0, path.length() - ".type".length());
            throw new InvalidJobException(
                    "sweep.%s is given, but other fields depend on a type; sweep %s with whole objects, such as {\"type\": ...}"
                            .formatted(path, object));
        }
    }

    /// A field's name alone is the mistake that is made most.
    private void requireWholePath(String path) {
        List<String> meant = path.contains(".") || json.has(path) ? List.of() : json.pathsTo(path);
        if (!meant.isEmpty()) {
            throw new InvalidJobException("sweep.%s is given, but a job has no such field; write its path, %s"
                    .formatted(path, meant.stream().map("\"%s\""::formatted).collect(Collectors.joining(" or "))));
        }
    }

    /// All combinations, the last field varied first.
    private static List<Map<String, JsonNode>> grid(SweepSpec sweep, int count) {
        List<Map<String, JsonNode>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Map<String, JsonNode> values = new LinkedHashMap<>();
            int size = count;
            for (var field : sweep.fields().entrySet()) {
                List<JsonNode> choices = ((SweepValues.Choices) field.getValue()).values();
                size /= choices.size();
                values.put(field.getKey(), choices.get(i / size % choices.size()));
            }
            all.add(values);
        }
        return all;
    }

    private List<Map<String, JsonNode>> draws(SweepSpec fields, int count) {
        SweepRandom draws = new SweepRandom(sweep.seed());
        Map<String, Boolean> whole = new LinkedHashMap<>();
        Map<String, JsonNode> first = new LinkedHashMap<>();
        fields.fields().forEach((path, values) -> first.put(path, SweepRandom.first(values, true)));
        fields.fields().forEach((path, values) -> whole.put(path, isWhole(path, values, first)));
        List<Map<String, JsonNode>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Map<String, JsonNode> values = new LinkedHashMap<>();
            fields.fields()
                    .forEach((path, range) -> values.put(path, draws.next(range, whole.getOrDefault(path, false))));
            all.add(values);
        }
        return all;
    }

    /// Whether a field takes whole numbers only: it refuses the lower bound as a number with a point, by itself or,
    /// where it depends on other fields, with them.
    private boolean isWhole(String path, SweepValues values, Map<String, JsonNode> first) {
        if (!(values instanceof SweepValues.Range range) || range.min() != Math.rint(range.min())) {
            return false;
        }
        Map<String, JsonNode> alone = Map.of(path, SweepRandom.first(values, true));
        Map<String, JsonNode> pointed = new LinkedHashMap<>(isJob(alone) ? alone : first);
        boolean taken = isJob(pointed);
        pointed.put(path, SweepRandom.first(values, false));
        return taken && !isJob(pointed);
    }

    private boolean isJob(Map<String, JsonNode> values) {
        try {
            var _ = read(0, values);
            return true;
        } catch (InvalidJobException _) {
            return false;
        }
    }

    private JobSpec trial(int index, Map<String, JsonNode> values) {
        try {
            return read(index, values);
        } catch (InvalidJobException e) {
            throw invalid(index, values, e);
        }
    }

    private void pass(
            JobSpec trial, int index, Map<String, JsonNode> values, int bytes, ObjIntConsumer<JobSpec> reader) {
        try {
            reader.accept(trial, bytes);
        } catch (InvalidJobException e) {
            throw invalid(index, values, e);
        }
    }

    private static InvalidJobException invalid(int index, Map<String, JsonNode> values, InvalidJobException cause) {
        return new InvalidJobException(
                "the sweep's trial %d, with %s, is not a valid job: %s"
                        .formatted(
                                index + 1,
                                values.entrySet().stream()
                                        .map(value -> value.getKey() + " " + TrialJson.shown(value.getValue()))
                                        .collect(Collectors.joining(", ")),
                                cause.getMessage()),
                cause);
    }

    private JobSpec read(int index, Map<String, JsonNode> values) {
        return JobJson.read(json.with(values).put("id", names.of(index, values)));
    }
}
