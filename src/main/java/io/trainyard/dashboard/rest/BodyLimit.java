package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.DashboardConfig;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.core.Response.Status;
import org.jspecify.annotations.Nullable;

/// Refuses bodies that say to be longer than what a call may have, before they are read. One that does not say
/// how long it is ends at `quarkus.http.limits.max-body-size`.
@ApplicationScoped
class BodyLimit {
    /// Before Quarkus reads bodies.
    private static final int FIRST = Integer.MIN_VALUE / 2;

    private final DashboardConfig config;

    BodyLimit(DashboardConfig config) {
        this.config = config;
    }

    void register(@Observes Router router) {
        router.route().order(FIRST).handler(this::check);
    }

    private void check(RoutingContext call) {
        long bytes = length(call.request().getHeader(HttpHeaders.CONTENT_LENGTH));
        if (bytes <= config.maxBody()) {
            call.next();
            return;
        }
        Problem problem = Problem.of(
                Status.REQUEST_ENTITY_TOO_LARGE,
                "the body has %d bytes; allowed are %d in one call (trainyard.dashboard.max-body); send it in several, or use ./trainyard submit"
                        .formatted(bytes, config.maxBody()));
        if (call.request().version() != HttpVersion.HTTP_2) { // HTTP/2 has no such header
            call.response().putHeader(HttpHeaders.CONNECTION, "close"); // the body is not read
        }
        problem.send(call.response());
    }

    private static long length(@Nullable String header) {
        try {
            return header == null ? 0 : Long.parseLong(header);
        } catch (NumberFormatException _) {
            return 0; // the server refuses it
        }
    }
}
