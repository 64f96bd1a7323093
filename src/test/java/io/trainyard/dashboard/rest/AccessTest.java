package io.trainyard.dashboard.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.runtime.configuration.DurationConverter;
import io.quarkus.security.runtime.QuarkusPrincipal;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.SignInConfig;
import io.trainyard.dashboard.rest.Access.Role;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AccessTest {
    private static Access access(boolean signIn, QuarkusSecurityIdentity caller) {
        var config = new SmallRyeConfigBuilder()
                .withConverter(Duration.class, 100, new DurationConverter())
                .withMapping(SignInConfig.class)
                .withMapping(DashboardConfig.class)
                .withDefaultValues(
                        Map.of("trainyard.sign-in.enabled", Boolean.toString(signIn), "trainyard.sign-in.viewers", "*"))
                .build();
        return new Access(
                config.getConfigMapping(SignInConfig.class), config.getConfigMapping(DashboardConfig.class), caller);
    }

    private static QuarkusSecurityIdentity.Builder anonymous() {
        return QuarkusSecurityIdentity.builder().setAnonymous(true).setPrincipal(new QuarkusPrincipal(""));
    }

    /// In case a Quarkus setting lets an anonymous user through.
    @Test
    void aCallerWithoutSignInIsRefused() {
        Access access = access(true, anonymous().addRole("operator").build());
        assertThat(access.role()).isEmpty();
        assertThat(access.refusal()).contains("requires a sign-in");
    }

    @Test
    void everyCallerMayActWithoutSignIn() {
        assertThat(access(false, anonymous().build()).role()).hasValue(Role.OPERATOR);
    }
}
