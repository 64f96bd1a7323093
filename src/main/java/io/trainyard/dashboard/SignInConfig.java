package io.trainyard.dashboard;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.List;
import java.util.Optional;

/// How people sign in at the dashboard: with any provider that speaks OpenID Connect.
@ConfigMapping(prefix = "trainyard.sign-in")
public interface SignInConfig {
    /// Whether anybody has to; `trainyard dashboard` says so where it is given an issuer.
    @WithDefault("false")
    boolean enabled();

    /// The provider's address, below which `/.well-known/openid-configuration` lies.
    Optional<String> issuer();

    /// Under what name the provider knows the dashboard.
    @WithDefault("trainyard")
    String client();

    /// A further audience of the access tokens that programs bring; without one of these a token is refused.
    Optional<String> audience();

    /// What proves to the provider that it is the dashboard that asks.
    Optional<String> secret();

    /// Scopes that are asked for beside `openid`.
    @WithDefault("profile")
    List<String> scopes();

    /// The claim that holds somebody's roles: a list of names. A slash leads into an object, such as
    /// `realm_access/roles`.
    @WithDefault("groups")
    String rolesClaim();

    /// Who has one of these roles may look, and may ask something of jobs.
    @WithDefault("operator")
    List<String> operators();

    /// Who has one of these roles may look; `*` is everybody who can sign in.
    @WithDefault("viewer")
    List<String> viewers();
}
