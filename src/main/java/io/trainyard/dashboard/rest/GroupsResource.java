package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.spec.JobField;
import io.trainyard.tracking.JobPage;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.TrackingStore;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

@Path("/api/v1/groups")
public class GroupsResource {
    private static final int MAX_JOBS = 10_000;
    private static final int MAX_CURVES = 1000;

    /// Jobs that are looked at together.
    private static final int PAGE = 500;

    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,20}(\\.\\d{1,30})?(E[+-]?\\d{1,3})?");

    /// Fields that are available without reading commands.
    private static final Set<String> BY_SUMMARY = Set.of("dataset", "network", "state", "tag");

    /// Numbers by their value, then other texts.
    private static final Comparator<String> NUMBERS_FIRST = Comparator.comparing(
                    (String value) -> NUMBER.matcher(value).matches() ? Double.valueOf(value) : null,
                    Comparator.nullsLast(Comparator.naturalOrder()))
            .thenComparing(Comparator.naturalOrder());

    private final TrackingStore store;
    private final DashboardConfig config;
    private final HeavyCalls heavy;

    GroupsResource(TrackingStore store, DashboardConfig config, HeavyCalls heavy) {
        this.store = store;
        this.config = config;
        this.heavy = heavy;
    }

    /// Jobs of one value.
    ///
    /// @param value as text; null: those that have none
    /// @param states how many there are in each state
    /// @param bestAccuracy of all their tests; null: none was tested
    /// @param meanAccuracy of their last tests; null: none was tested
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
            @QueryParam("project") @DefaultValue("") String project,
            @QueryParam("where") @DefaultValue("") String where) {
        JobQuery query = new JobQuery(JobsResource.states(state), text, tag, JobQuery.Sort.SUBMITTED, true, MAX_JOBS, 0)
                .ofProject(project);
        JobFilter filter = JobFilter.of(where);
        return heavy.call(() -> groups(by, query, filter));
    }

    private Groups groups(String by, JobQuery query, JobFilter filter) {
        FieldValues conditions =
                filter.conditions().isEmpty() ? new FieldValues() : FieldValues.of(store, query, filter.fields());
        Map<String, String> found = new HashMap<>();
        if (!BY_SUMMARY.contains(by)) {
            JobField field = new JobField(by);
            store.eachCommand(query, (job, command) -> field.of(command).ifPresent(value -> found.put(job, value)));
        }
        Map<String, Members> groups = new TreeMap<>(NUMBERS_FIRST);
        Members others = new Members();
        for (int offset = 0; offset < MAX_JOBS; offset += PAGE) {
            JobPage page = store.jobs(query.page(PAGE, offset));
            for (JobSummary job : page.jobs()) {
                if (!filter.accepts(field -> conditions.of(job, field))) {
                    continue;
                }
                List<String> its = switch (by) {
                    case "dataset" -> present(job.dataset());
                    case "network" -> present(job.network());
                    case "state" -> List.of(job.status().word());
                    case "tag" -> page.tags().getOrDefault(job.job(), List.of());
                    default -> present(found.get(job.job()));
                };
                its.forEach(value ->
                        groups.computeIfAbsent(value, _ -> new Members()).add(job));
                if (its.isEmpty()) {
                    others.add(job);
                }
            }
            if (page.jobs().size() < PAGE) {
                break;
            }
        }
        List<Group> all = new ArrayList<>();
        groups.forEach((value, members) -> all.add(members.as(value)));
        if (!others.jobs.isEmpty()) {
            all.add(others.as(null));
        }
        return new Groups(by, all);
    }

    /// The retained part of a group's jobs; their full records would need too much memory.
    private static final class Members {
        private final List<String> jobs = new ArrayList<>();
        private final Map<String, Long> states = new TreeMap<>();
        private final DoubleSummaryStatistics accuracies = new DoubleSummaryStatistics(); // of last tests
        private final DoubleSummaryStatistics best = new DoubleSummaryStatistics();

        void add(JobSummary job) {
            jobs.add(job.job());
            states.merge(job.status().word(), 1L, Long::sum);
            if (job.testAccuracy() != null) {
                accuracies.accept(job.testAccuracy());
            }
            if (job.bestTestAccuracy() != null) {
                best.accept(job.bestTestAccuracy());
            }
        }

        Group as(@Nullable String value) {
            return new Group(
                    value,
                    jobs,
                    states,
                    best.getCount() > 0 ? best.getMax() : null,
                    accuracies.getCount() > 0 ? accuracies.getAverage() : null);
        }
    }

    private static List<String> present(@Nullable String value) {
        return value == null ? List.of() : List.of(value);
    }

    @GET
    @Path("/curve")
    @Operation(
            summary = "The losses of several jobs together: mean and standard deviation of all of them, by step",
            description = "`jobs`: ids with commas between them, at most 1,000.")
    public LossPoints curve(
            @QueryParam("jobs") @DefaultValue("") String jobs,
            @QueryParam("from") @DefaultValue(StepRange.FIRST_STEP) String from,
            @QueryParam("to") @DefaultValue(StepRange.ALL_STEPS) String to,
            @QueryParam("points") @DefaultValue("0") String points) {
        StepRange range = StepRange.of(from, to, points, config.curvePoints());
        return LossPoints.of(store.losses(Parameter.jobs(jobs, MAX_CURVES), range.from(), range.to(), range.buckets()));
    }
}
