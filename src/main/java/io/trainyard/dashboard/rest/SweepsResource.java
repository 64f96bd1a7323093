package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.JobHistory;
import io.trainyard.sweep.SweepView;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;

@Path("/api/v1/sweeps")
public class SweepsResource {
    private final JobHistory history;
    private final HeavyCalls heavy;

    SweepsResource(JobHistory history, HeavyCalls heavy) {
        this.history = history;
        this.heavy = heavy;
    }

    @GET
    @Path("/{group}")
    @Operation(
            summary = "The jobs of a sweep, or of another group, the best first",
            description = "What was given to each that differs, its state, epochs, best and last test, and rung.")
    public SweepView sweep(@PathParam("group") String group) {
        return heavy.call(() -> history.sweep(group))
                .orElseThrow(() -> Problem.refusal(
                        Response.Status.NOT_FOUND,
                        "there is no sweep \"%s\" here, and no job has it as group".formatted(Parameter.shown(group))));
    }
}
