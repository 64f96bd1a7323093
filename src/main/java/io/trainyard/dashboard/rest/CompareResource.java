package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.trainyard.dashboard.JobDetail;
import io.trainyard.dashboard.JobHistory;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.spec.JobField;
import io.trainyard.tracking.JobSummary;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.math3.stat.inference.ChiSquareTest;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

@Path("/api/v1/compare")
public class CompareResource {
    private static final int MAX_JOBS = 100;

    /// A longer value, as of a network's layers, is cut.
    private static final int MAX_VALUE = 4_000;

    /// Where neither has a right answer, or neither a wrong one, there is nothing to test.
    private static final String TEST =
            "chi-squared test of homogeneity of right and wrong answers, each run with the best one on the same test samples, p-values adjusted for their number (Holm); it takes the two tests as independent, so on the same test set it says \"different\" too seldom rather than too often";

    /// `normalize` and `augment` leave the samples the same.
    private static final Pattern TEST_DATA = Pattern.compile("dataset(\\.(name|colors|resize|centerCrop|split.*))?");

    private final JobHistory history;
    private final ObjectMapper mapper;
    private final HeavyCalls heavy;

    CompareResource(JobHistory history, ObjectMapper mapper, HeavyCalls heavy) {
        this.history = history;
        this.mapper = mapper;
        this.heavy = heavy;
    }

    /// A field of the jobs' commands in which they differ.
    ///
    /// @param field its path, such as `optimizer.learningRate`
    /// @param values in the order of the jobs; null where a job has no such field
    record Field(String field, List<@Nullable JsonNode> values) {}

    /// Whether the last tests of two jobs differ by more than chance.
    ///
    /// @param a the best of all
    /// @param pValue how often chance alone would make so great a difference, adjusted for the number of tests
    record Test(String a, String b, double accuracyA, double accuracyB, double pValue) {}

    /// @param test the name of the test and its assumptions
    /// @param refused why some jobs are not tested against others; null: all were tested with the same samples
    record Comparison(
            List<String> jobs,
            List<Field> fields,
            List<Test> tests,
            String test,
            @Nullable String refused) {}

    @GET
    @Operation(
            summary = "Jobs side by side: fields that differ, and whether their accuracies do",
            description = "`jobs`: ids with commas between them.")
    public Comparison compare(@QueryParam("jobs") @DefaultValue("") String jobs) {
        List<String> ids = Parameter.jobs(jobs, MAX_JOBS);
        return heavy.call(() -> compared(ids));
    }

    /// One job after the other: together they may be larger than the heap.
    private Comparison compared(List<String> ids) {
        List<Map<String, JsonNode>> fields = new ArrayList<>();
        List<Answers> answers = new ArrayList<>();
        for (String id : ids) {
            JobDetail detail = history.job(id)
                    .orElseThrow(() -> Problem.refusal(
                            Status.NOT_FOUND, "there is no job \"%s\" here".formatted(Parameter.shown(id))));
            Map<String, JsonNode> its = fields(detail);
            fields.add(its);
            answers.add(new Answers(id, rightAndWrong(detail), testData(its, detail.summary())));
        }
        List<Answers> tested = answers.stream().filter(one -> one.all() > 0).toList();
        return new Comparison(ids, differing(fields), tests(tested), TEST, refused(tested));
    }

    /// The fields that choose the samples of the test, and the part; empty if the command is unknown.
    private static String testData(Map<String, JsonNode> fields, JobSummary job) {
        String data = fields.entrySet().stream()
                .filter(field -> TEST_DATA.matcher(field.getKey()).matches())
                .map(field -> field.getKey() + " " + JobField.text(field.getValue()))
                .sorted()
                .collect(Collectors.joining(", "));
        return job.part() == Part.VALIDATION && job.test() == null ? data + ", validation part" : data;
    }

    private static @Nullable String refused(List<Answers> tested) {
        Map<String, List<Answers>> byData = byData(tested);
        if (byData.size() < 2) {
            return null;
        }
        return byData.entrySet().stream()
                .map(group -> "%s with %s"
                        .formatted(
                                group.getValue().stream().map(Answers::job).collect(Collectors.joining(", ")),
                                group.getKey()))
                .collect(Collectors.joining(
                        "; ",
                        "differences are tested only between runs with the same dataset and split, because other test samples may be easier: tested were ",
                        ""));
    }

    private static Map<String, List<Answers>> byData(List<Answers> tested) {
        return tested.stream()
                .collect(Collectors.groupingBy(Answers::samples, LinkedHashMap::new, Collectors.toList()));
    }

    private Map<String, JsonNode> fields(JobDetail job) {
        if (job.command() == null) {
            return Map.of();
        }
        Map<String, JsonNode> fields;
        try {
            fields = JobField.values(mapper.readTree(job.command()));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a job is written as JSON", e);
        }
        fields.remove("id");
        fields.replaceAll((_, value) -> shortened(value));
        return fields;
    }

    private static JsonNode shortened(JsonNode value) {
        String text = value.toString();
        return text.length() <= MAX_VALUE ? value : TextNode.valueOf(JobField.shortened(text, MAX_VALUE));
    }

    private static List<Field> differing(List<Map<String, JsonNode>> jobs) {
        Set<String> names = new LinkedHashSet<>();
        jobs.forEach(fields -> names.addAll(fields.keySet()));
        List<Field> differing = new ArrayList<>();
        for (String name : names) {
            List<@Nullable JsonNode> values = new ArrayList<>();
            jobs.forEach(fields -> values.add(fields.get(name)));
            if (new LinkedHashSet<>(values).size() > 1) {
                differing.add(new Field(name, values));
            }
        }
        return differing;
    }

    /// Each with the best of those that were tested with the same samples, the least p-value first.
    private static List<Test> tests(List<Answers> tested) {
        List<Test> tests = new ArrayList<>();
        for (List<Answers> alike : byData(tested).values()) {
            Answers best = Collections.max(alike, Comparator.comparingDouble(Answers::accuracy));
            alike.stream()
                    .filter(other -> other != best && best.isComparableWith(other))
                    .map(other -> new Test(
                            best.job(),
                            other.job(),
                            best.accuracy(),
                            other.accuracy(),
                            new ChiSquareTest()
                                    .chiSquareTest(new long[][] {best.rightAndWrong(), other.rightAndWrong()})))
                    .forEach(tests::add);
        }
        tests.sort(Comparator.comparingDouble(Test::pValue));
        return adjusted(tests);
    }

    /// Holm's method: of n tests the least p-value counts n times, the next one n - 1 times, and none less than the one
    /// before it.
    private static List<Test> adjusted(List<Test> tests) {
        List<Test> adjusted = new ArrayList<>();
        double least = 0;
        for (int i = 0; i < tests.size(); i++) {
            Test test = tests.get(i);
            least = Math.max(least, Math.min(1, (tests.size() - i) * test.pValue()));
            adjusted.add(new Test(test.a(), test.b(), test.accuracyA(), test.accuracyB(), least));
        }
        return adjusted;
    }

    /// @param testData the fields that choose the samples of the test
    private record Answers(String job, long[] rightAndWrong, String testData) {
        String samples() {
            return "%s (%d samples)".formatted(testData.isEmpty() ? "unknown data of " + job : testData, all());
        }

        long all() {
            return rightAndWrong[0] + rightAndWrong[1];
        }

        double accuracy() {
            return rightAndWrong[0] / (double) all();
        }

        boolean isComparableWith(Answers other) {
            return rightAndWrong[0] + other.rightAndWrong[0] > 0 && rightAndWrong[1] + other.rightAndWrong[1] > 0;
        }
    }

    private static long[] rightAndWrong(JobDetail job) {
        long right = 0;
        long all = 0;
        int @Nullable [][] confusion = job.confusion();
        for (int truth = 0; confusion != null && truth < confusion.length; truth++) {
            for (int predicted = 0; predicted < confusion[truth].length; predicted++) {
                all += confusion[truth][predicted];
                right += truth == predicted ? confusion[truth][predicted] : 0;
            }
        }
        return new long[] {right, all - right};
    }
}
