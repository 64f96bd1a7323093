package io.trainyard.dashboard;

import io.trainyard.event.JobNews;
import io.trainyard.tracking.JobSummary;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;

/// What the dashboard knows, as JSON.
@Path("/api")
public class DashboardResource {
    private final JobHistory history;
    private final DashboardConfig config;

    DashboardResource(JobHistory history, DashboardConfig config) {
        this.history = history;
        this.config = config;
    }

    /// All jobs, the newest first.
    @GET
    @Path("/jobs")
    public List<JobSummary> jobs() {
        return history.jobs();
    }

    @GET
    @Path("/jobs/{id}")
    public JobDetail job(@PathParam("id") String id) {
        return history.job(id).orElseThrow(() -> unknown(id));
    }

    /// The loss curve between two steps, both inclusive; the whole curve where they are left out.
    @GET
    @Path("/jobs/{id}/losses")
    public LossPoints losses(
            @PathParam("id") String id,
            @QueryParam("from") @DefaultValue("1") String from,
            @QueryParam("to") @DefaultValue("9223372036854775807") String to) {
        long fromStep = step("from", from);
        long toStep = step("to", to);
        if (fromStep > toStep) {
            throw refused(
                    Status.BAD_REQUEST, "from is step %d, after to, step %d; swap them".formatted(fromStep, toStep));
        }
        return history.losses(id, fromStep, toStep, config.curvePoints()).orElseThrow(() -> unknown(id));
    }

    /// All workers, by id.
    @GET
    @Path("/workers")
    public List<WorkerView> workers() {
        return history.workers(System.currentTimeMillis());
    }

    private static long step(String name, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw refused(
                    Status.BAD_REQUEST,
                    "%s is \"%s\"; allowed is the number of a step, counting from 1".formatted(name, cut(text)));
        }
    }

    private WebApplicationException unknown(String id) {
        return refused(
                Status.NOT_FOUND,
                "there is no job \"%s\" here: nothing was submitted under that id; GET /api/jobs lists the newest"
                        .formatted(cut(id)));
    }

    private static String cut(String text) {
        return text.length() <= JobNews.MAX_ID ? text : text.substring(0, JobNews.MAX_ID) + "…";
    }

    /// Plain text: a browser must not read foreign text as a page.
    private static WebApplicationException refused(Status status, String sentence) {
        return new WebApplicationException(Response.status(status)
                .type(MediaType.TEXT_PLAIN_TYPE.withCharset("UTF-8"))
                .entity(sentence)
                .build());
    }
}
