package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.JobHistory;
import io.trainyard.dashboard.SourceStatus;
import io.trainyard.dashboard.WorkerView;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;

@Path("/api/v1/workers")
public class WorkersResource {
    private final JobHistory history;
    private final SourceStatus sources;

    WorkersResource(JobHistory history, SourceStatus sources) {
        this.history = history;
        this.sources = sources;
    }

    @GET
    @Operation(summary = "All workers, by id")
    public List<WorkerView> workers() {
        return history.workers(sources.knownMillis());
    }
}
