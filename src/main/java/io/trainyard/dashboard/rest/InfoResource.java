package io.trainyard.dashboard.rest;

import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.SourceStatus;
import io.trainyard.dashboard.rest.Access.Role;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

@Path("/api/v1/info")
public class InfoResource {
    private final DashboardConfig config;
    private final SourceStatus sources;
    private final Access access;
    private final String version;
    private final Optional<String> signOut;

    InfoResource(
            DashboardConfig config,
            SourceStatus sources,
            Access access,
            @ConfigProperty(name = "quarkus.application.version") String version,
            @ConfigProperty(name = "quarkus.oidc.logout.path") Optional<String> signOut) {
        this.config = config;
        this.sources = sources;
        this.access = access;
        this.version = version;
        this.signOut = signOut;
    }

    /// General information for clients.
    ///
    /// @param readOnly whether all modifying calls are refused
    /// @param local whether the dashboard shows the runs of `train` and has no fleet
    /// @param user the signed-in user; null without sign-in
    /// @param signOut the sign-out address; null without sign-in, and if the provider has no sign-out
    /// @param role the caller's role
    record Info(
            String version,
            boolean readOnly,
            boolean local,
            @Nullable String user,
            @Nullable String signOut,
            Role role,
            int maxBulk,
            SourceStatus.State sources) {}

    @GET
    @Operation(summary = "Version, limits, and whether the dashboard reaches its sources")
    public Info info() {
        return new Info(
                version,
                config.readOnly(),
                config.local().isPresent(),
                access.name().orElse(null),
                signOut.orElse(null),
                access.role().orElseThrow(),
                config.maxBulk(),
                sources.state());
    }
}
