package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.JobControl;
import io.trainyard.dashboard.JobHistory;
import io.trainyard.dashboard.ProjectQuotas;
import io.trainyard.event.JobState.Status;
import io.trainyard.jobfile.JobFiles;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import io.trainyard.topics.Priority;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.Submitter;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

@Path("/api/v1/jobs")
public class JobsResource {
    static final int MAX_PAGE = 500;

    private final JobHistory history;
    private final JobControl control;
    private final DashboardConfig config;
    private final ProjectQuotas quotas;
    private final Access access;
    private final HeavyCalls heavy;

    JobsResource(
            JobHistory history,
            JobControl control,
            DashboardConfig config,
            ProjectQuotas quotas,
            Access access,
            HeavyCalls heavy) {
        this.heavy = heavy;
        this.history = history;
        this.control = control;
        this.config = config;
        this.quotas = quotas;
        this.access = access;
    }

    record Submitted(List<String> jobs) {}

    @GET
    @Operation(
            summary = "Jobs: filtered, sorted, a page of them",
            description =
                    "`state`: names of states with commas between them. `text` is looked for in ids, datasets, networks and workers.")
    public JobRows jobs(
            @QueryParam("state") @DefaultValue("") String state,
            @QueryParam("text") @DefaultValue("") String text,
            @QueryParam("tag") @DefaultValue("") String tag,
            @QueryParam("project") @DefaultValue("") String project,
            @QueryParam("sort") @DefaultValue("submitted") String sort,
            @QueryParam("order") @DefaultValue("desc") String order,
            @QueryParam("limit") @DefaultValue("100") String limit,
            @QueryParam("offset") @DefaultValue("0") String offset) {
        JobQuery query = new JobQuery(
                states(state),
                text,
                tag,
                Parameter.name("sort", sort, JobQuery.Sort.class),
                Parameter.name("order", order, Order.class) == Order.DESC,
                Parameter.integer("limit", limit, 1, MAX_PAGE),
                Parameter.integer("offset", offset, 0, Integer.MAX_VALUE));
        return JobRows.of(history.jobs(query.ofProject(project)), history);
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
                    "The body is a job, a list of jobs or several documents, in JSON or YAML, as `./trainyard submit` takes them.")
    public Response submit(byte @Nullable [] body, @QueryParam("priority") @DefaultValue("normal") String priority) {
        Priority requestedPriority = Parameter.name("priority", priority, Priority.class);
        return heavy.call(() -> submit(body, requestedPriority));
    }

    private Response submit(byte @Nullable [] body, Priority requestedPriority) {
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
        control.submit(jobs, requestedPriority, submitter);
        List<String> ids = jobs.stream().map(JobSpec::id).toList();
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
