package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.JobControl;
import io.trainyard.dashboard.JobControl.Action;
import io.trainyard.dashboard.JobControl.Answer;
import io.trainyard.dashboard.JobHistory;
import io.trainyard.topics.Priority;
import io.trainyard.tracking.JobSummary;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

@Path("/api/v1/bulk")
public class BulkResource {
    private final JobControl control;
    private final JobHistory history;
    private final DashboardConfig config;
    private final Access access;

    BulkResource(JobControl control, JobHistory history, DashboardConfig config, Access access) {
        this.control = control;
        this.history = history;
        this.config = config;
        this.access = access;
    }

    /// The request body.
    ///
    /// @param action cancel, pause, resume or reprioritize
    /// @param priority for reprioritize: high, normal or low
    /// @param sweep instead of jobs: all jobs of the group that have not ended
    record Asked(
            @Nullable String action,
            @Nullable List<String> jobs,
            @Nullable String priority,
            @Nullable String sweep) {}

    record Answers(List<Answer> results) {}

    private List<String> open(String group) {
        List<String> jobs = history.group(group).stream()
                .filter(job -> !job.status().isFinal())
                .map(JobSummary::job)
                .toList();
        if (jobs.isEmpty()) {
            throw Problem.refusal(
                    Response.Status.NOT_FOUND,
                    "the sweep \"%s\" has no jobs left: there is no such sweep, or all its jobs have ended"
                            .formatted(Parameter.shown(group)));
        }
        return jobs;
    }

    private static String name(Action action) {
        return action.name().toLowerCase(Locale.ROOT);
    }

    private static void requireOfSweep(Action action, Asked asked) {
        if (asked.jobs() != null) {
            throw Problem.badRequest("jobs and sweep are given; name one of the two");
        }
        if (action == Action.REPRIORITIZE) {
            throw Problem.badRequest(
                    "action is reprioritize, and sweep is given; of a sweep allowed is cancel, pause, resume; name its jobs in jobs");
        }
    }

    @POST
    @Operation(
            summary = "Cancels, pauses, resumes or reprioritizes many jobs; each has its own answer",
            description =
                    "Of `jobs`; to cancel, pause or resume also of a `sweep`, or another group: all of its jobs that have not ended.")
    public Answers act(@Nullable Asked body) {
        Asked asked = body == null ? new Asked(null, null, null, null) : body;
        Action action = Parameter.name("action", asked.action() == null ? "" : asked.action(), Action.class);
        if (asked.sweep() != null) {
            requireOfSweep(action, asked);
            List<String> open = open(asked.sweep());
            Answers answers = new Answers(control.act(action, open, null, true));
            access.log(name(action), open);
            return answers;
        }
        List<String> jobs = asked.jobs() == null ? List.of() : asked.jobs();
        if (jobs.isEmpty() || jobs.size() > config.maxBulk()) {
            throw Problem.badRequest(
                    "jobs names %d jobs; allowed are 1 to %d in one call (trainyard.dashboard.max-bulk)"
                            .formatted(jobs.size(), config.maxBulk()));
        }
        Priority priority = action == Action.REPRIORITIZE
                ? Parameter.name("priority", asked.priority() == null ? "" : asked.priority(), Priority.class)
                : null;
        Answers answers = new Answers(control.act(action, jobs, priority));
        access.log(name(action), jobs);
        return answers;
    }
}
