package io.trainyard.dashboard.rest;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.trainyard.dashboard.DashboardConfig;
import io.trainyard.dashboard.SignInConfig;
import io.trainyard.spec.Printable;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/// Without sign-in, refuses requests for other host names, which protects from DNS rebinding: a foreign page's
/// name could resolve to this machine, and the browser would treat the dashboard as a part of that page. API
/// responses are never cached.
@Singleton
class HostFilter {
    private static final int BEFORE_ALL_OTHERS = 1000;
    private static final int MISDIRECTED = 421;
    private static final int FORBIDDEN = 403;
    private static final int MAX_SHOWN = 200;

    /// Probes and Prometheus name a pod's address.
    private static final Pattern OPEN = Pattern.compile("/metrics|/q/health(/.*)?");

    private static final Set<HttpMethod> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

    private final boolean checked;
    private final HostNames allowed;

    HostFilter(
            DashboardConfig config,
            SignInConfig signIn,
            @ConfigProperty(name = "quarkus.http.host", defaultValue = "localhost") String listening) {
        checked = config.enabled() && !signIn.enabled();
        List<String> names = new ArrayList<>(config.hosts().orElse(List.of()));
        names.add(listening);
        allowed = new HostNames(names);
    }

    void register(@Observes Filters filters) {
        filters.register(this::check, BEFORE_ALL_OTHERS);
    }

    private void check(RoutingContext call) {
        HttpServerRequest request = call.request();
        if (call.normalizedPath().startsWith("/api/")) {
            call.response().putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        }
        if (!checked || OPEN.matcher(call.normalizedPath()).matches()) {
            call.next();
            return;
        }
        List<String> hosts = hosts(request);
        if (hosts.isEmpty() || !hosts.stream().allMatch(allowed::contain)) {
            refuse(
                    call,
                    MISDIRECTED,
                    "Misdirected Request",
                    "the request is for the host \"%s\"; allowed are localhost, loopback addresses and the names in TRAINYARD_DASHBOARD_HOSTS"
                            .formatted(Printable.text(String.join(", ", hosts), MAX_SHOWN)));
        } else if (!READING.contains(request.method()) && !isOfOrigin(request, hosts.getFirst())) {
            refuse(
                    call,
                    FORBIDDEN,
                    "Forbidden",
                    "the request comes from a page of \"%s\"; only the dashboard's own page may change something"
                            .formatted(Printable.text(
                                    String.join(", ", request.headers().getAll(HttpHeaders.ORIGIN)), MAX_SHOWN)));
        } else {
            call.next();
        }
    }

    /// All that say what host is meant: the header, HTTP/2's authority, and the target where it is a whole address.
    private static List<String> hosts(HttpServerRequest request) {
        List<String> hosts = new ArrayList<>(request.headers().getAll(HttpHeaders.HOST));
        if (request.version() == HttpVersion.HTTP_2 && request.authority() != null) {
            hosts.add(request.authority().toString());
        }
        if (!request.uri().startsWith("/")) {
            hosts.add(authority(request.uri()));
        }
        return hosts;
    }

    private static boolean isOfOrigin(HttpServerRequest request, String host) {
        return request.headers().getAll(HttpHeaders.ORIGIN).stream()
                .allMatch(origin -> authority(origin).equals(host.toLowerCase(Locale.ROOT)));
    }

    /// The host and port of an address; empty if it has none.
    private static String authority(String address) {
        try {
            String authority = new URI(address).getRawAuthority();
            return authority == null ? "" : authority.toLowerCase(Locale.ROOT);
        } catch (URISyntaxException _) {
            return "";
        }
    }

    private static void refuse(RoutingContext call, int status, String title, String detail) {
        new Problem("about:blank", title, status, detail).send(call.response());
    }
}
