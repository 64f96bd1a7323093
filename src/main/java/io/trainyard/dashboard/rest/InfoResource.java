package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.Sources;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.openapi.annotations.Operation;

/// The dashboard itself.
@Path("/api/v1/info")
public class InfoResource {
    private final DashboardConfig config;
    private final Sources sources;
    private final String version;

    InfoResource(
            DashboardConfig config,
            Sources sources,
            @ConfigProperty(name = "quarkus.application.version") String version) {
        this.config = config;
        this.sources = sources;
        this.version = version;
    }

    /// What a client should know before it asks.
    ///
    /// @param readOnly whether calls that change something are refused
    record Info(String version, boolean readOnly, int maxBulk, Sources.State sources) {}

    @GET
    @Operation(summary = "Version, what is allowed, and whether the dashboard's sources are there")
    public Info info() {
        return new Info(version, config.readOnly(), config.maxBulk(), sources.state());
    }
}
