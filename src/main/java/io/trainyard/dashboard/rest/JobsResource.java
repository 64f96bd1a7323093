package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.JobControl;
import io.trainyard.dashboard.JobHistory;
import io.trainyard.dashboard.ProjectQuotas;
import io.trainyard.event.JobState.Status;
import io.trainyard.jobfile.JobFiles;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import io.trainyard.topics.Priority;
import io.trainyard.tracking.JobPage;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.Submitter;
import io.trainyard.tracking.TrackingStore;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

@Path("/api/v1/jobs")
public class JobsResource {
    static final int MAX_PAGE = 500;

    private static final int MAX_SEARCHED = 10_000;
    private static final int MAX_FIELDS = 50;

    private static final Set<String> SORTS = Arrays.stream(JobQuery.Sort.values())
            .map(sort -> sort.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.toCollection(LinkedHashSet::new));

    private final JobHistory history;
    private final TrackingStore store;
    private final JobControl control;
    private final DashboardConfig config;
    private final ProjectQuotas quotas;
    private final Access access;
    private final HeavyCalls heavy;

    JobsResource(
            JobHistory history,
            TrackingStore store,
            JobControl control,
            DashboardConfig config,
            ProjectQuotas quotas,
            Access access,
            HeavyCalls heavy) {
        this.heavy = heavy;
        this.history = history;
        this.store = store;
        this.control = control;
        this.config = config;
        this.quotas = quotas;
        this.access = access;
    }

    record Submitted(List<String> jobs) {}

    /// @param runs with the trials of sweeps
    record Checked(List<String> jobs, int runs) {}

    @GET
    @Operation(
            summary = "Jobs: filtered, sorted, a page of them",
            description =
                    "`state`: names of states with commas between them. `text` is looked for in ids, datasets, networks and workers. `where`: conditions on fields, `optimizer.learningRate > 0.01 and batchSize = 64`, and `sort` by a field, of the newest 10,000 that match. `fields`: those whose values are in the answer.")
    public JobRows jobs(
            @QueryParam("state") @DefaultValue("") String state,
            @QueryParam("text") @DefaultValue("") String text,
            @QueryParam("tag") @DefaultValue("") String tag,
            @QueryParam("project") @DefaultValue("") String project,
            @QueryParam("where") @DefaultValue("") String where,
            @QueryParam("fields") @DefaultValue("") String fields,
            @QueryParam("sort") @DefaultValue("submitted") String sort,
            @QueryParam("order") @DefaultValue("desc") String order,
            @QueryParam("limit") @DefaultValue("100") String limit,
            @QueryParam("offset") @DefaultValue("0") String offset) {
        boolean byField = !SORTS.contains(sort.toLowerCase(Locale.ROOT));
        JobQuery query = new JobQuery(
                        states(state),
                        text,
                        tag,
                        byField ? JobQuery.Sort.SUBMITTED : Parameter.name("sort", sort, JobQuery.Sort.class),
                        Parameter.name("order", order, Order.class) == Order.DESC,
                        Parameter.integer("limit", limit, 1, MAX_PAGE),
                        Parameter.integer("offset", offset, 0, Integer.MAX_VALUE))
                .ofProject(project);
        JobFilter filter = JobFilter.of(where);
        Set<String> shown = new HashSet<>(Parameter.list(fields));
        if (shown.size() > MAX_FIELDS) {
            throw Problem.badRequest("fields names %d fields; allowed are %d".formatted(shown.size(), MAX_FIELDS));
        }
        if (!byField && filter.conditions().isEmpty()) {
            FieldValues values = shown.isEmpty() ? new FieldValues() : FieldValues.of(store, query, shown);
            return JobRows.of(history.jobs(query), values, history);
        }
        return heavy.call(() -> searched(query, filter, byField ? sort : null, shown));
    }

    /// Only the ids of the jobs that match are kept: their summaries together may be too large.
    private JobRows searched(JobQuery query, JobFilter filter, @Nullable String sort, Set<String> shown) {
        JobQuery all = query.page(MAX_SEARCHED, 0);
        Set<String> needed = new HashSet<>(shown);
        needed.addAll(filter.fields());
        if (sort != null) {
            needed.add(sort);
        }
        FieldValues values = FieldValues.of(store, all, needed);
        Map<String, @Nullable JsonNode> keys = new LinkedHashMap<>();
        eachPage(
                all,
                page -> page.jobs().stream()
                        .filter(job -> filter.accepts(field -> values.of(job, field)))
                        .forEach(job -> keys.put(job.job(), sort == null ? null : values.of(job, sort))));
        List<String> found = new ArrayList<>(keys.keySet());
        if (sort != null) {
            if (!keys.isEmpty() && keys.values().stream().allMatch(Objects::isNull)) {
                throw Problem.badRequest("sort is \"%s\"; allowed is %s, or a field that one of the jobs has"
                        .formatted(Parameter.shown(sort), String.join(", ", SORTS)));
            }
            Comparator<String> order = Comparator.comparing(keys::get, FieldValues.order(query.descending()));
            found.sort(order);
        }
        List<String> wanted =
                found.stream().skip(query.offset()).limit(query.limit()).toList();
        Map<String, JobSummary> jobs = new HashMap<>();
        Map<String, List<String>> tags = new HashMap<>();
        Set<String> missing = new HashSet<>(wanted);
        eachPage(all, page -> {
            page.jobs().stream().filter(job -> missing.contains(job.job())).forEach(job -> jobs.put(job.job(), job));
            tags.putAll(page.tags());
        });
        List<JobSummary> rows =
                wanted.stream().map(jobs::get).filter(Objects::nonNull).toList();
        return JobRows.of(new JobPage(rows, tags, found.size()), values, history);
    }

    private void eachPage(JobQuery all, Consumer<JobPage> reader) {
        for (int offset = 0; offset < all.limit(); offset += MAX_PAGE) {
            JobPage page = store.jobs(all.page(MAX_PAGE, offset));
            reader.accept(page);
            if (page.jobs().size() < MAX_PAGE) {
                break;
            }
        }
    }

    static Set<Status> states(String text) {
        Set<Status> states = EnumSet.noneOf(Status.class);
        Parameter.list(text).forEach(state -> states.add(Parameter.name("state", state, Status.class)));
        return states;
    }

    private enum Order {
        ASC,
        DESC
    }

    @POST
    @Operation(
            summary = "Submits jobs",
            description =
                    "The body is a job, a list of jobs or several documents, in JSON or YAML, as `./trainyard submit` takes them. `check=true` only checks them.")
    public Response submit(
            byte @Nullable [] body,
            @QueryParam("priority") @DefaultValue("normal") String priority,
            @QueryParam("check") @DefaultValue("false") boolean check) {
        Priority requestedPriority = Parameter.name("priority", priority, Priority.class);
        return heavy.call(() -> submit(body, requestedPriority, check));
    }

    private Response submit(byte @Nullable [] body, Priority requestedPriority, boolean check) {
        List<JobSpec> jobs = JobFiles.read("the body", body == null ? new byte[0] : body);
        if (jobs.size() > config.maxBulk()) {
            throw Problem.badRequest("the body holds %d jobs; allowed are %d in one call (trainyard.dashboard.max-bulk)"
                    .formatted(jobs.size(), config.maxBulk()));
        }
        Optional<Submitter> submitter = access.submitter();
        int more = jobs.stream().mapToInt(Trials::count).sum();
        requireQueueCapacity(control.waiting(), "", more, config.maxWaiting(), "max-waiting");
        submitter.ifPresent(by -> requireQueueCapacity(
                control.waiting(by),
                " that %s submitted".formatted(Parameter.shown(by.name())),
                more,
                config.maxWaitingEach(),
                "max-waiting-each"));
        quotas.refusal(jobs).ifPresent(reason -> {
            throw Problem.refusal(Response.Status.TOO_MANY_REQUESTS, reason);
        });
        List<String> ids = jobs.stream().map(JobSpec::id).toList();
        if (check) {
            return Response.ok(new Checked(ids, more)).build();
        }
        control.submit(jobs, requestedPriority, submitter);
        access.log("submit", ids);
        return Response.accepted(new Submitted(ids)).build();
    }

    private static void requireQueueCapacity(long waiting, String whose, int more, int allowed, String setting) {
        if (waiting + more > allowed) {
            throw Problem.refusal(
                    Response.Status.TOO_MANY_REQUESTS,
                    "%d jobs%s wait for a worker, and the body holds %d; allowed are %d together (trainyard.dashboard.%s); submit them when some have started"
                            .formatted(waiting, whose, more, allowed, setting));
        }
    }
}
