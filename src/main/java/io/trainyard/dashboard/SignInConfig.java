package io.trainyard.dashboard;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.List;
import java.util.Optional;

/// The settings of sign-in with an OpenID Connect provider.
@ConfigMapping(prefix = "trainyard.sign-in")
public interface SignInConfig {
    /// Whether sign-in is required. `trainyard dashboard` sets it if an issuer is given.
    @WithDefault("false")
    boolean enabled();

    /// The provider's URL, without `/.well-known/openid-configuration`.
    Optional<String> issuer();

    /// The client id of the dashboard.
    @WithDefault("trainyard")
    String client();

    /// An additional audience of access tokens from programs. A token needs one of these audiences.
    Optional<String> audience();

    /// The client secret.
    Optional<String> secret();

    /// The requested scopes, in addition to `openid`.
    @WithDefault("profile")
    List<String> scopes();

    /// The claim with a user's roles, a list of names. A slash separates nested fields, as in
    /// `realm_access/roles`.
    @WithDefault("groups")
    String rolesClaim();

    /// The roles that may read and may control jobs.
    @WithDefault("operator")
    List<String> operators();

    /// The roles that may only read; `*` stands for all users who can sign in.
    @WithDefault("viewer")
    List<String> viewers();
}
