package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.JobControl;
import io.trainyard.dashboard.JobControl.Action;
import io.trainyard.dashboard.JobControl.Answer;
import io.trainyard.dashboard.JobDetail;
import io.trainyard.dashboard.JobHistory;
import io.trainyard.dashboard.JobTimeline;
import io.trainyard.dashboard.SavedModels;
import io.trainyard.event.EventJson;
import io.trainyard.event.MetricValues;
import io.trainyard.spec.Printable;
import io.trainyard.topics.Priority;
import io.trainyard.tracking.Annotations;
import io.trainyard.tracking.MetricPoints;
import io.trainyard.tracking.RatePoint;
import io.trainyard.tracking.TrackingStore;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Request;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

@Path("/api/v1/jobs/{id}")
public class JobResource {
    private static final String BEST = "best";
    private static final int MAX_TAGS = 50;
    private static final int MAX_TAG = 100;
    private static final int MAX_NOTE = 10_000;
    private static final int MAX_METRIC_POINTS = 1_000;
    private static final int MAX_METRIC_RECORDS = 1_000;
    private static final int MAX_REASON = 500;

    private final TrackingStore store;
    private final JobHistory history;
    private final JobControl control;
    private final SavedModels models;
    private final DashboardConfig config;
    private final Access access;

    JobResource(
            TrackingStore store,
            JobHistory history,
            JobControl control,
            SavedModels models,
            DashboardConfig config,
            Access access) {
        this.store = store;
        this.history = history;
        this.control = control;
        this.models = models;
        this.config = config;
        this.access = access;
    }

    record Reprioritize(@Nullable String priority) {}

    /// Annotations of a job; missing fields are empty.
    record Written(@Nullable List<String> tags, @Nullable String note) {}

    @GET
    @Operation(summary = "A job, with its tests, attempts, checkpoints, tags and note")
    public JobDetail job(@PathParam("id") String id) {
        return history.job(id).orElseThrow(() -> unknown(id));
    }

    @GET
    @Path("/curve")
    @Operation(
            summary = "The loss curve between two steps, both inclusive",
            description =
                    "In `points` buckets or fewer; made of all losses in the range, at every zoom. Without `from` and `to` the whole curve.")
    public LossPoints curve(
            @PathParam("id") String id,
            @QueryParam("from") @DefaultValue(StepRange.FIRST_STEP) String from,
            @QueryParam("to") @DefaultValue(StepRange.ALL_STEPS) String to,
            @QueryParam("points") @DefaultValue("0") String points) {
        StepRange range = StepRange.of(from, to, points, config.curvePoints());
        return store.losses(id, range.from(), range.to(), range.buckets())
                .map(LossPoints::of)
                .orElseThrow(() -> unknown(id));
    }

    /// @param metrics the users' metrics, in the order in which they were first published
    record Metrics(List<MetricPoints> metrics) {}

    record Published(int published) {}

    @GET
    @Path("/metrics")
    @Operation(
            summary = "Users' own metrics of a job",
            description = "Each with up to `points` points, and the last one.")
    public Metrics metrics(@PathParam("id") String id, @QueryParam("points") @DefaultValue("500") String points) {
        return new Metrics(store.metrics(id, Parameter.integer("points", points, 1, MAX_METRIC_POINTS))
                .orElseThrow(() -> unknown(id)));
    }

    @POST
    @Path("/metrics")
    @Operation(
            summary = "Publishes values of users' own metrics",
            description = "The body is an object with `step` and `values`, or a list of them.")
    public Response publish(@PathParam("id") String id, @Nullable JsonNode body) {
        List<JsonNode> all = new ArrayList<>();
        if (body != null && body.isArray()) {
            body.forEach(all::add);
        } else if (body != null) {
            all.add(body);
        }
        if (all.isEmpty() || all.size() > MAX_METRIC_RECORDS) {
            throw Problem.badRequest("the body has %d objects; allowed are 1 to %d in one call"
                    .formatted(all.size(), MAX_METRIC_RECORDS));
        }
        if (!store.isKnown(id)) {
            throw unknown(id);
        }
        List<MetricValues> metrics = new ArrayList<>();
        for (JsonNode one : all) {
            if (!(one instanceof ObjectNode object)) {
                throw Problem.badRequest("an element of the body is %s; allowed are objects with step and values"
                        .formatted(Parameter.shown(one.toString())));
            }
            try {
                metrics.add(
                        EventJson.readMetrics(object.put("job", id).toString().getBytes(StandardCharsets.UTF_8)));
            } catch (IOException e) {
                throw Problem.badRequest(Printable.text(String.valueOf(e.getMessage()), MAX_REASON));
            }
        }
        control.publish(metrics);
        access.log("publish metrics of", List.of(id));
        return Response.accepted(new Published(metrics.size())).build();
    }

    @GET
    @Path("/learning-rates")
    @Operation(summary = "The learning rate at some steps")
    public List<RatePoint> learningRates(
            @PathParam("id") String id, @QueryParam("points") @DefaultValue("200") String points) {
        int most = Parameter.integer("points", points, 2, config.curvePoints());
        return store.learningRates(id, most);
    }

    @GET
    @Path("/checkpoints/{step}")
    @Produces(MediaType.APPLICATION_OCTET_STREAM)
    @Operation(summary = "The model after a step, or `best`: that of the best test; a safetensors file")
    public Response checkpoint(@PathParam("id") String id, @PathParam("step") String step, @Context Request request)
            throws IOException {
        List<JobTimeline.Checkpoint> all = job(id).checkpoints();
        JobTimeline.Checkpoint wanted = all.stream()
                .filter(saved -> step.equals(BEST)
                        ? saved.best()
                        : Long.toString(saved.step()).equals(step))
                .findFirst()
                .orElseThrow(() -> Problem.refusal(
                        Status.NOT_FOUND,
                        "job %s has no checkpoint \"%s\"; %s"
                                .formatted(
                                        id,
                                        Parameter.shown(step),
                                        all.isEmpty()
                                                ? "it has saved none"
                                                : "it has %d, the last after step %d%s"
                                                        .formatted(
                                                                all.size(),
                                                                all.getLast().step(),
                                                                step.equals(BEST)
                                                                        ? "; none of them is known to be that of the best test, which keepBest retains"
                                                                        : ""))));
        InputStream model = models.open(id, wanted);
        boolean unread = request.getMethod().equals(HttpMethod.HEAD);
        if (unread) {
            model.close();
        }
        return Response.ok(unread ? null : model)
                .header(
                        HttpHeaders.CONTENT_DISPOSITION,
                        "attachment; filename=\"%s-step-%d.safetensors\"".formatted(id, wanted.step()))
                .tag(wanted.sha256())
                .build();
    }

    @POST
    @Path("/{action: cancel|pause|resume}")
    @Operation(summary = "Cancels, pauses or resumes a job")
    public Response control(@PathParam("id") String id, @PathParam("action") String action) {
        Response answer = accepted(control.act(Parameter.name("action", action, Action.class), List.of(id), null));
        access.log(action, List.of(id));
        return answer;
    }

    @POST
    @Path("/reprioritize")
    @Operation(summary = "Changes a job's priority: high, normal or low")
    public Response reprioritize(@PathParam("id") String id, @Nullable Reprioritize body) {
        String wanted = body == null || body.priority() == null ? "" : body.priority();
        Priority priority = Parameter.name("priority", wanted, Priority.class);
        Response answer = accepted(control.act(Action.REPRIORITIZE, List.of(id), priority));
        access.log("reprioritize", List.of(id));
        return answer;
    }

    private static Response accepted(List<Answer> answers) {
        Answer answer = answers.getFirst();
        if (!answer.known()) {
            throw Problem.refusal(Status.NOT_FOUND, answer.sentence());
        }
        if (!answer.ok()) {
            throw Problem.refusal(Status.CONFLICT, answer.sentence());
        }
        return Response.accepted(answer).build();
    }

    @PUT
    @Path("/notes")
    @Operation(summary = "Replaces a job's tags and note")
    public Annotations remark(@PathParam("id") String id, @Nullable Written body) {
        Annotations remarks = new Annotations(
                body == null || body.tags() == null ? List.of() : body.tags(),
                body == null || body.note() == null ? "" : body.note());
        if (remarks.tags().size() > MAX_TAGS) {
            throw Problem.badRequest(
                    "there are %d tags; allowed are %d".formatted(remarks.tags().size(), MAX_TAGS));
        }
        for (String tag : remarks.tags()) {
            if (tag.isBlank() || tag.length() > MAX_TAG || tag.contains(",")) {
                throw Problem.badRequest("a tag is \"%s\"; allowed are 1 to %d characters, no comma among them"
                        .formatted(Parameter.shown(tag), MAX_TAG));
            }
        }
        if (remarks.note().length() > MAX_NOTE) {
            throw Problem.badRequest("the note has %d characters; allowed are %d"
                    .formatted(remarks.note().length(), MAX_NOTE));
        }
        if (!store.remark(id, remarks)) {
            throw unknown(id);
        }
        access.log("write notes of", List.of(id));
        return remarks;
    }

    private static WebApplicationException unknown(String id) {
        return Problem.refusal(
                Status.NOT_FOUND,
                "there is no job \"%s\" here: nothing was submitted under that id; GET /api/v1/jobs lists the newest"
                        .formatted(Parameter.shown(id)));
    }
}
