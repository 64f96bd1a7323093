package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.JobHistory;
import io.trainyard.dashboard.SavedModels;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;

/// What the worker stored when a job finished. Its files have fixed names; only numbers come from requests.
@Path("/api/v1/jobs/{id}/results")
public class ResultsResource {
    private static final int MAX_IMAGE = 23;

    private final JobHistory history;
    private final SavedModels models;

    ResultsResource(JobHistory history, SavedModels models) {
        this.history = history;
        this.models = models;
    }

    @GET
    @Path("/predictions")
    @Produces("text/csv")
    @Operation(summary = "The predictions of the test set, as predict writes them: CSV, at most 8 MiB")
    public Response predictions(@PathParam("id") String id) {
        return Response.ok(open(id, "predictions.csv"))
                .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"%s-predictions.csv\"".formatted(id))
                .build();
    }

    @GET
    @Path("/mistakes")
    @Produces(MediaType.APPLICATION_JSON)
    @Operation(summary = "The wrong predictions of the test set with the largest losses, at most 24, the worst first")
    public Response mistakes(@PathParam("id") String id) {
        return Response.ok(open(id, "mistakes.json")).build();
    }

    @GET
    @Path("/mistakes/{number}")
    @Produces("image/png")
    @Operation(summary = "The image of a mistake, counted from 0")
    public Response image(@PathParam("id") String id, @PathParam("number") String number) {
        int image = Parameter.integer("number", number, 0, MAX_IMAGE);
        return Response.ok(open(id, "mistake-%d.png".formatted(image))).build();
    }

    /// The id is used only if it is that of a known job.
    private InputStream open(String id, String name) {
        return history.job(id)
                .flatMap(job -> models.result(job.summary().job(), name))
                .orElseThrow(() -> Problem.refusal(
                        Status.NOT_FOUND,
                        "there is no %s of job \"%s\" here: a worker stores it when the job finishes, and this dashboard must read the same store (--checkpoints)"
                                .formatted(name, Parameter.shown(id))));
    }
}
