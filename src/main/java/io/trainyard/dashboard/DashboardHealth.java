package io.trainyard.dashboard;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/// Liveness of the thread that reads the topics. If the brokers or the store are unavailable, the thread waits
/// and counts as alive.
@Liveness
@ApplicationScoped
class DashboardHealth implements HealthCheck {
    private final Instance<TopicConsumer> reader;
    private final DashboardConfig config;

    DashboardHealth(Instance<TopicConsumer> reader, DashboardConfig config) {
        this.reader = reader;
        this.config = config;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("dashboard")
                .status(!config.enabled() || reader.get().isAlive())
                .build();
    }
}
