package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.JobHistory;
import io.trainyard.spec.JobField;
import io.trainyard.tracking.JobPage;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.JobSummary;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

/// Jobs that have something in common, taken together.
@Path("/api/v1/groups")
public class GroupsResource {
    private static final int MAX_JOBS = 10_000;
    private static final int MAX_CURVES = 1000;

    private final JobHistory history;
    private final DashboardConfig config;

    GroupsResource(JobHistory history, DashboardConfig config) {
        this.history = history;
        this.config = config;
    }

    /// Jobs of one value.
    ///
    /// @param value as text; null: those that have none
    /// @param states how many there are in each state
    /// @param bestAccuracy of their last tests; null: none was tested
    record Group(
            @Nullable String value,
            List<String> jobs,
            Map<String, Long> states,
            @Nullable Double bestAccuracy,
            @Nullable Double meanAccuracy) {}

    record Groups(String by, List<Group> groups) {}

    @GET
    @Operation(
            summary = "Jobs by what they have in common",
            description =
                    "`by`: dataset, network, state, tag, or the path of a field of the command, such as `optimizer.learningRate`. Of the newest 10,000 that match.")
    public Groups groups(
            @QueryParam("by") @DefaultValue("dataset") String by,
            @QueryParam("state") @DefaultValue("") String state,
            @QueryParam("text") @DefaultValue("") String text,
            @QueryParam("tag") @DefaultValue("") String tag,
            @QueryParam("project") @DefaultValue("") String project) {
        JobQuery query = new JobQuery(JobsResource.states(state), text, tag, JobQuery.Sort.HEARD, true, MAX_JOBS, 0)
                .ofProject(project);
        JobPage page = history.jobs(query);
        Map<String, List<JobSummary>> groups = new TreeMap<>();
        List<JobSummary> others = new ArrayList<>();
        Function<JobSummary, List<String>> values = valuesOf(by, query, page);
        for (JobSummary job : page.jobs()) {
            List<String> its = values.apply(job);
            its.forEach(value ->
                    groups.computeIfAbsent(value, _ -> new ArrayList<>()).add(job));
            if (its.isEmpty()) {
                others.add(job);
            }
        }
        List<Group> all = new ArrayList<>();
        groups.forEach((value, jobs) -> all.add(group(value, jobs)));
        if (!others.isEmpty()) {
            all.add(group(null, others));
        }
        return new Groups(by, all);
    }

    private Function<JobSummary, List<String>> valuesOf(String by, JobQuery query, JobPage page) {
        return switch (by) {
            case "dataset" -> job -> present(job.dataset());
            case "network" -> job -> present(job.network());
            case "state" -> job -> List.of(job.status().word());
            case "tag" -> job -> page.tags().getOrDefault(job.job(), List.of());
            default -> {
                Map<String, String> found = new LinkedHashMap<>();
                JobField field = new JobField(by);
                history.commands(query)
                        .forEach((job, command) -> field.of(command).ifPresent(value -> found.put(job, value)));
                yield job -> present(found.get(job.job()));
            }
        };
    }

    private static List<String> present(@Nullable String value) {
        return value == null ? List.of() : List.of(value);
    }

    private static Group group(@Nullable String value, List<JobSummary> jobs) {
        List<Double> accuracies = jobs.stream()
                .map(JobSummary::testAccuracy)
                .filter(Objects::nonNull)
                .toList();
        return new Group(
                value,
                jobs.stream().map(JobSummary::job).toList(),
                jobs.stream()
                        .collect(
                                Collectors.groupingBy(job -> job.status().word(), TreeMap::new, Collectors.counting())),
                accuracies.isEmpty()
                        ? null
                        : accuracies.stream().mapToDouble(a -> a).max().orElseThrow(),
                accuracies.isEmpty()
                        ? null
                        : accuracies.stream().mapToDouble(a -> a).average().orElseThrow());
    }

    @GET
    @Path("/curve")
    @Operation(
            summary = "The losses of several jobs together: mean and standard deviation of all of them, by step",
            description = "`jobs`: ids with commas between them, at most 1,000.")
    public LossPoints curve(
            @QueryParam("jobs") @DefaultValue("") String jobs,
            @QueryParam("from") @DefaultValue(Range.FIRST_STEP) String from,
            @QueryParam("to") @DefaultValue(Range.ALL_STEPS) String to,
            @QueryParam("points") @DefaultValue("0") String points) {
        Range range = Range.of(from, to, points, config.curvePoints());
        return LossPoints.of(
                history.losses(Parameter.jobs(jobs, MAX_CURVES), range.from(), range.to(), range.buckets()));
    }
}
