package io.trainyard.dashboard.rest;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.trainyard.dashboard.DashboardConfig;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/// A worker with a metrics port serves only metrics and health, not the dashboard.
@ApplicationScoped
class WorkerPort {
    private static final String METRICS = "/metrics";
    private static final String HEALTH = "/q/health/";
    private static final int NOT_FOUND = 404;

    private static final int PRIORITY = Integer.MAX_VALUE;

    private final DashboardConfig config;

    WorkerPort(DashboardConfig config) {
        this.config = config;
    }

    void register(@Observes Filters filters) {
        if (config.enabled()) {
            return;
        }
        filters.register(
                call -> {
                    String path = call.normalizedPath();
                    if (path.equals(METRICS) || path.startsWith(HEALTH)) {
                        call.next();
                    } else {
                        call.response().setStatusCode(NOT_FOUND).end();
                    }
                },
                PRIORITY);
    }
}
