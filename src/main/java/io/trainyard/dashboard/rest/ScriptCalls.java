package io.trainyard.dashboard.rest;

import io.quarkus.oidc.JavaScriptRequestChecker;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.MediaType;

/// Calls that get an error instead of a redirect to the provider: those with the page's header, and event streams,
/// for which a browser sends no header of the page.
@Singleton
class ScriptCalls implements JavaScriptRequestChecker {
    @Override
    public boolean isJavaScriptRequest(RoutingContext call) {
        return "JavaScript".equals(call.request().getHeader("X-Requested-With"))
                || MediaType.SERVER_SENT_EVENTS.equals(call.request().getHeader(HttpHeaders.ACCEPT));
    }
}
