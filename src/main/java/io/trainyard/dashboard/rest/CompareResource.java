package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.dashboard.JobDetail;
import io.trainyard.dashboard.JobHistory;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response.Status;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.math3.stat.inference.ChiSquareTest;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

/// Jobs side by side.
@Path("/api/v1/compare")
public class CompareResource {
    private static final int MAX_JOBS = 50;

    /// Where neither has a right answer, or neither a wrong one, there is nothing to test.
    private static final String TEST =
            "chi-squared test of homogeneity of right and wrong answers; it takes the two tests as independent, so on the same test set it says \"different\" too seldom rather than too often";

    private final JobHistory history;
    private final ObjectMapper mapper;

    CompareResource(JobHistory history, ObjectMapper mapper) {
        this.history = history;
        this.mapper = mapper;
    }

    /// A field of the jobs' commands in which they differ.
    ///
    /// @param field its path, such as `optimizer.learningRate`
    /// @param values in the order of the jobs; null where a job has no such field
    record Field(String field, List<@Nullable JsonNode> values) {}

    /// Whether the last tests of two jobs differ by more than chance.
    ///
    /// @param pValue how often chance alone would make so great a difference
    record Test(String a, String b, double accuracyA, double accuracyB, double pValue) {}

    /// @param test which test it is, and what it takes for granted
    record Comparison(List<String> jobs, List<Field> fields, List<Test> tests, String test) {}

    @GET
    @Operation(
            summary = "Jobs side by side: fields that differ, and whether their accuracies do",
            description = "`jobs`: ids with commas between them.")
    public Comparison compare(@QueryParam("jobs") @DefaultValue("") String jobs) throws JsonProcessingException {
        List<JobDetail> details = new ArrayList<>();
        for (String job : Parameter.jobs(jobs, MAX_JOBS)) {
            details.add(history.job(job)
                    .orElseThrow(() -> Problem.refusal(
                            Status.NOT_FOUND, "there is no job \"%s\" here".formatted(Parameter.shown(job)))));
        }
        return new Comparison(
                details.stream().map(detail -> detail.summary().job()).toList(),
                differing(details),
                tests(details),
                TEST);
    }

    private List<Field> differing(List<JobDetail> jobs) throws JsonProcessingException {
        List<Map<String, JsonNode>> all = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        for (JobDetail job : jobs) {
            Map<String, JsonNode> fields = new LinkedHashMap<>();
            if (job.command() != null) {
                flatten("", mapper.readTree(job.command()), fields);
            }
            fields.remove("id");
            all.add(fields);
            names.addAll(fields.keySet());
        }
        List<Field> differing = new ArrayList<>();
        for (String name : names) {
            List<@Nullable JsonNode> values = new ArrayList<>();
            all.forEach(fields -> values.add(fields.get(name)));
            if (new LinkedHashSet<>(values).size() > 1) {
                differing.add(new Field(name, values));
            }
        }
        return differing;
    }

    /// Lists stay whole: two networks differ as such.
    private static void flatten(String path, JsonNode node, Map<String, JsonNode> fields) {
        if (node.isObject()) {
            node.properties()
                    .forEach(field -> flatten(
                            path.isEmpty() ? field.getKey() : path + "." + field.getKey(), field.getValue(), fields));
        } else {
            fields.put(path, node);
        }
    }

    private static List<Test> tests(List<JobDetail> jobs) {
        List<Test> tests = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            for (int k = i + 1; k < jobs.size(); k++) {
                long[] a = rightAndWrong(jobs.get(i));
                long[] b = rightAndWrong(jobs.get(k));
                if (a[0] + b[0] > 0 && a[1] + b[1] > 0 && a[0] + a[1] > 0 && b[0] + b[1] > 0) {
                    tests.add(new Test(
                            jobs.get(i).summary().job(),
                            jobs.get(k).summary().job(),
                            accuracy(a),
                            accuracy(b),
                            new ChiSquareTest().chiSquareTest(new long[][] {a, b})));
                }
            }
        }
        return tests;
    }

    private static double accuracy(long[] rightAndWrong) {
        return rightAndWrong[0] / (double) (rightAndWrong[0] + rightAndWrong[1]);
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
