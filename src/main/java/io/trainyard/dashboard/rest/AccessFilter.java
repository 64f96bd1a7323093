package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.rest.Access.Role;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response.Status;
import java.util.Set;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/// Enforces roles, and refuses writes from pages of other origins: these cannot set a custom header without a
/// CORS preflight, which is never allowed.
class AccessFilter {
    /// The header that calls must have that change something; its value does not matter.
    static final String HEADER = "X-Trainyard";

    private static final Set<String> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
    private static final Set<String> OURS = Set.of("same-origin", "none");

    private final DashboardConfig config;
    private final Access access;

    AccessFilter(DashboardConfig config, Access access) {
        this.config = config;
        this.access = access;
    }

    @ServerRequestFilter
    void check(ContainerRequestContext call) {
        Role role = access.role().orElseThrow(() -> refused(access.refusal()));
        if (READING.contains(call.getMethod())) {
            return;
        }
        if (config.readOnly()) {
            throw refused(
                    "this dashboard is read-only (trainyard.dashboard.read-only); use ./trainyard, or another dashboard");
        }
        if (config.local().isPresent() && !call.getMethod().equals(HttpMethod.PUT)) { // annotations need no fleet
            throw Problem.refusal(
                    Status.CONFLICT,
                    "this dashboard shows the runs of ./trainyard train (--local) and has no workers; to submit and control jobs, start ./trainyard dashboard without --local");
        }
        if (role != Role.OPERATOR) {
            throw refused("%s can read, but not change anything: changes need the role operator"
                    .formatted(access.name().orElse("the caller")));
        }
        String site = call.getHeaderString("Sec-Fetch-Site");
        if (call.getHeaderString(HEADER) == null || (site != null && !OURS.contains(site))) {
            throw refused(
                    "a call that changes something needs the header %s, and must not come from another site's page"
                            .formatted(HEADER));
        }
    }

    private static RuntimeException refused(String sentence) {
        return Problem.refusal(Status.FORBIDDEN, sentence);
    }
}
