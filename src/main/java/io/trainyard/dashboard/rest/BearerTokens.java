package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.oidc.AccessTokenCredential;
import io.quarkus.oidc.IdTokenCredential;
import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.identity.AuthenticationRequestContext;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.SecurityIdentityAugmentor;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import org.eclipse.microprofile.jwt.JsonWebToken;

/// Refuses ID tokens in place of access tokens: an ID token identifies a user to a client, appears in browsers
/// and logs, and authorizes no calls. The dashboard requests a nonce at each sign-in, so its own ID tokens
/// contain one.
@Singleton
class BearerTokens implements SecurityIdentityAugmentor {
    /// Claims that OpenID Connect has for ID tokens only.
    private static final Set<String> OF_ID_TOKENS = Set.of("nonce", "at_hash", "c_hash");

    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public Uni<SecurityIdentity> augment(SecurityIdentity identity, AuthenticationRequestContext context) {
        boolean bearer = identity.getCredential(AccessTokenCredential.class) != null
                && identity.getCredential(IdTokenCredential.class) == null;
        if (bearer && !(identity.getPrincipal() instanceof JsonWebToken token && isAccessToken(token))) {
            return Uni.createFrom()
                    .failure(new AuthenticationFailedException("the bearer token is not an access token"));
        }
        return Uni.createFrom().item(identity);
    }

    private static boolean isAccessToken(JsonWebToken token) {
        String type = type(token.getRawToken());
        if (type.equals("at+jwt") || type.equals("application/at+jwt")) { // RFC 9068
            return true;
        }
        if (token.getClaim("typ") instanceof String kind) { // Keycloak's
            return kind.equals("Bearer");
        }
        return token.getClaimNames().stream().noneMatch(OF_ID_TOKENS::contains);
    }

    private static String type(String token) {
        try {
            JsonNode header = JSON.readTree(Base64.getUrlDecoder().decode(token.split("\\.", 2)[0]));
            return header.path("typ").asText().toLowerCase(Locale.ROOT);
        } catch (IOException | IllegalArgumentException _) {
            return "";
        }
    }
}
