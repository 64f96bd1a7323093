package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.DashboardConfig;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response.Status;
import java.util.Set;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/// Lets nobody write by another's page: a page of another origin cannot set a header of ours without being asked, and
/// is
/// never allowed to.
class WriteFilter {
    /// The header that calls must have that change something; its value does not matter.
    static final String HEADER = "X-Trainyard";

    private static final Set<String> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
    private static final Set<String> OURS = Set.of("same-origin", "none");

    private final DashboardConfig config;

    WriteFilter(DashboardConfig config) {
        this.config = config;
    }

    @ServerRequestFilter
    void check(ContainerRequestContext call) {
        if (READING.contains(call.getMethod())) {
            return;
        }
        if (config.readOnly()) {
            throw Problem.refusal(
                    Status.FORBIDDEN,
                    "this dashboard is read-only (trainyard.dashboard.read-only); use ./trainyard, or another dashboard");
        }
        String site = call.getHeaderString("Sec-Fetch-Site");
        if (call.getHeaderString(HEADER) == null || (site != null && !OURS.contains(site))) {
            throw Problem.refusal(
                    Status.FORBIDDEN,
                    "a call that changes something needs the header %s, and must not come from another site's page"
                            .formatted(HEADER));
        }
    }
}
