package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.annotation.JsonValue;
import io.quarkus.security.identity.SecurityIdentity;
import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.SignInConfig;
import io.trainyard.spec.Printable;
import io.trainyard.tracking.Submitter;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.jwt.JsonWebToken;

@Singleton
class Access {
    private static final System.Logger LOG = System.getLogger(Access.class.getName());

    private static final int MAX_SHOWN = 200;
    private static final int MAX_JOBS_SHOWN = 20;

    private static final String ALL = "*";

    /// What people call themselves, before what the provider calls them.
    private static final List<String> NAMES = List.of("preferred_username", "email", "name");

    private final SignInConfig config;
    private final DashboardConfig dashboard;
    private final SecurityIdentity caller;

    Access(SignInConfig config, DashboardConfig dashboard, SecurityIdentity caller) {
        this.config = config;
        this.dashboard = dashboard;
        this.caller = caller;
    }

    enum Role {
        /// Look.
        VIEWER,
        /// Ask something of jobs, too.
        OPERATOR;

        @JsonValue
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Of who calls; empty where they may nothing.
    Optional<Role> role() {
        if (config.enabled() && caller.isAnonymous()) {
            return Optional.empty();
        }
        Set<String> roles = caller.getRoles();
        if (!config.enabled() || config.operators().stream().anyMatch(roles::contains)) {
            return Optional.of(dashboard.readOnly() ? Role.VIEWER : Role.OPERATOR);
        }
        boolean looks =
                config.viewers().contains(ALL) || config.viewers().stream().anyMatch(roles::contains);
        return looks ? Optional.of(Role.VIEWER) : Optional.empty();
    }

    /// The caller; empty without sign-in. Users choose their own names, so the provider's id identifies them.
    Optional<Submitter> submitter() {
        return name().map(name -> new Submitter(
                caller.getPrincipal() instanceof JsonWebToken token
                        ? token.getIssuer() + " " + token.getSubject()
                        : name,
                name));
    }

    /// How long the caller's token is valid; empty without sign-in.
    Optional<Duration> validFor() {
        return config.enabled() && caller.getPrincipal() instanceof JsonWebToken token
                ? Optional.of(Duration.between(Instant.now(), Instant.ofEpochSecond(token.getExpirationTime())))
                : Optional.empty();
    }

    /// Logs an action of a signed-in user.
    void log(String action, Collection<String> jobs) {
        submitter()
                .ifPresent(by -> LOG.log(
                        System.Logger.Level.INFO,
                        "{0} ({1}) requests: {2} {3}{4}",
                        Printable.text(by.name(), MAX_SHOWN),
                        Printable.text(by.id(), MAX_SHOWN),
                        action,
                        jobs.stream()
                                .limit(MAX_JOBS_SHOWN)
                                .map(job -> Printable.text(job, MAX_SHOWN))
                                .collect(Collectors.joining(", ")),
                        jobs.size() > MAX_JOBS_SHOWN ? " and %d more".formatted(jobs.size() - MAX_JOBS_SHOWN) : ""));
    }

    /// The caller's display name; empty without sign-in.
    Optional<String> name() {
        if (!config.enabled() || caller.isAnonymous()) {
            return Optional.empty();
        }
        if (caller.getPrincipal() instanceof JsonWebToken token) {
            for (String name : NAMES) {
                if (token.getClaim(name) instanceof String called && !called.isBlank()) {
                    return Optional.of(called);
                }
            }
        }
        return Optional.of(caller.getPrincipal().getName());
    }

    String refusal() {
        if (caller.isAnonymous()) {
            return "this dashboard requires a sign-in; send an access token (Authorization: Bearer TOKEN), or sign in at /";
        }
        return "%s has signed in, but may not see this dashboard: the claim %s names none of %s; ask its operator (trainyard.sign-in)"
                .formatted(
                        name().orElse("the caller"),
                        config.rolesClaim(),
                        Stream.concat(config.operators().stream(), config.viewers().stream())
                                .distinct()
                                .collect(Collectors.joining(", ")));
    }
}
