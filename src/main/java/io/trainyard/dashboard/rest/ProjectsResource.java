package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.ProjectQuotas;
import io.trainyard.share.ProjectRow;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;

@Path("/api/v1/projects")
public class ProjectsResource {
    private final ProjectQuotas quotas;

    ProjectsResource(ProjectQuotas quotas) {
        this.quotas = quotas;
    }

    /// @param windowSeconds the period of the past use
    record Projects(long windowSeconds, List<ProjectRow> projects) {}

    @GET
    @Operation(
            summary = "What each project may have of the fleet, and what it has",
            description =
                    "Those that the file of projects names, and those that jobs name, by name. `share` is what a project should have of those that have something to do, `had` the part of the last window's device time that it had.")
    public Projects projects() {
        return new Projects(quotas.window().toSeconds(), quotas.table());
    }
}
