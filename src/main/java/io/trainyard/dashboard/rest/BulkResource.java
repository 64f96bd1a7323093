package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.JobControl;
import io.trainyard.dashboard.JobControl.Action;
import io.trainyard.dashboard.JobControl.Answer;
import io.trainyard.topics.Priority;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

/// The same of many jobs.
@Path("/api/v1/bulk")
public class BulkResource {
    private final JobControl control;
    private final DashboardConfig config;

    BulkResource(JobControl control, DashboardConfig config) {
        this.control = control;
        this.config = config;
    }

    /// What is asked.
    ///
    /// @param action cancel, pause, resume or reprioritize
    /// @param priority for reprioritize: high, normal or low
    record Asked(
            @Nullable String action,
            @Nullable List<String> jobs,
            @Nullable String priority) {}

    /// What is answered, in the order of the jobs.
    record Answers(List<Answer> results) {}

    @POST
    @Operation(summary = "Cancels, pauses, resumes or reprioritizes many jobs; each has an answer of its own")
    public Answers act(@Nullable Asked body) {
        Asked asked = body == null ? new Asked(null, null, null) : body;
        Action action = Parameter.name("action", asked.action() == null ? "" : asked.action(), Action.class);
        List<String> jobs = asked.jobs() == null ? List.of() : asked.jobs();
        if (jobs.isEmpty() || jobs.size() > config.maxBulk()) {
            throw Problem.badRequest(
                    "jobs names %d jobs; allowed are 1 to %d in one call (trainyard.dashboard.max-bulk)"
                            .formatted(jobs.size(), config.maxBulk()));
        }
        Priority priority = action == Action.REPRIORITIZE
                ? Parameter.name("priority", asked.priority() == null ? "" : asked.priority(), Priority.class)
                : null;
        return new Answers(control.act(action, jobs, priority));
    }
}
