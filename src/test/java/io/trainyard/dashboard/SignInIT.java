package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.broker.TestBroker;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import no.nav.security.mock.oauth2.MockOAuth2Server;
import no.nav.security.mock.oauth2.OAuth2Config;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The dashboard with a fake provider that issues any token; [KeycloakIT] has a real one.
class SignInIT {
    private static final String PREFIX = "sign-in.";
    private static final String ISSUER = "people";
    private static final String SECRET = "a word of at least thirty-two characters";

    private static final String KNOWN = ".well-known/openid-configuration";

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private static Path dir;

    private static MockOAuth2Server provider;
    private static TrainyardProcess dashboard;
    private static String url;
    private static HttpClient http;

    @BeforeAll
    static void start() throws Exception {
        TopicAdmin.createMissing(TestBroker.brokers(), PREFIX, Patience.LIMIT);
        provider = new MockOAuth2Server(OAuth2Config.Companion.fromJson("{\"httpServer\": \"NettyWrapper\"}"));
        provider.start();
        dashboard = dashboardOf(provider.issuerUrl(ISSUER).toString(), "tracking.db");
        url = dashboard.await(DashboardIT.URL);
        http = HttpClient.newBuilder().followRedirects(Redirect.NEVER).build();
    }

    private static TrainyardProcess dashboardOf(String signIn, String store, String... environment) {
        List<String> all = new ArrayList<>(List.of(
                "TRAINYARD_SIGN_IN_SECRET=" + SECRET,
                "TRAINYARD_SIGN_IN_OPERATORS=train,train-more",
                "TRAINYARD_SIGN_IN_AUDIENCE=api://trainyard",
                "TRAINYARD_DASHBOARD_MAX_WAITING_EACH=2"));
        all.addAll(List.of(environment));
        return DashboardProcess.start(dir, PREFIX, 0, all, "--tracking", "jdbc:sqlite:" + store, "--sign-in", signIn);
    }

    @AfterAll
    static void stop() {
        if (dashboard != null) {
            dashboard.close();
            http.close();
        }
        provider.shutdown();
    }

    private static HttpResponse<String> call(String method, String path, String... headers) throws Exception {
        return call(method, path, BodyPublishers.noBody(), headers);
    }

    private static HttpResponse<String> call(String method, String path, BodyPublisher body, String... headers)
            throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + path)).method(method, body);
        if (headers.length > 0) {
            var _ = request.headers(headers);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private static String token(String... groups) {
        return "Bearer "
                + provider.issueToken(ISSUER, "robot", "trainyard", Map.of("groups", List.of(groups)))
                        .serialize();
    }

    /// A provider's tokens for other applications, and its ID tokens, give no access here.
    @Test
    void tokensForOtherPurposesAreRefused() throws Exception {
        Map<String, Object> mine = Map.of("sub", "robot", "groups", List.of("train"), "aud", "trainyard");
        assertThat(infoWith(mine)).isEqualTo(200);
        assertThat(infoWith(and(mine, "aud", List.of("else", "trainyard")))).isEqualTo(200);
        assertThat(infoWith(and(mine, "aud", "api://trainyard")))
                .as("TRAINYARD_SIGN_IN_AUDIENCE")
                .isEqualTo(200);
        assertThat(infoWith(and(mine, "aud", "else"))).isEqualTo(401);
        assertThat(infoWith(and(mine, "aud", List.of("else", "account")))).isEqualTo(401);
        assertThat(infoWith(and(mine, "aud", List.of()))).isEqualTo(401);
        assertThat(infoWith(Map.of("sub", "robot", "groups", List.of("train"))))
                .as("no audience")
                .isEqualTo(401);
        for (Map.Entry<String, String> idToken : Map.of("nonce", "abc", "at_hash", "abc", "c_hash", "abc", "typ", "ID")
                .entrySet()) {
            assertThat(infoWith(and(mine, idToken.getKey(), idToken.getValue())))
                    .as("%s", idToken)
                    .isEqualTo(401);
        }
        assertThat(infoWith(and(and(mine, "nonce", "abc"), "typ", "Bearer")))
                .as("an access token of Keycloak's")
                .isEqualTo(200);
    }

    private static Map<String, Object> and(Map<String, Object> claims, String name, Object value) {
        Map<String, Object> more = new HashMap<>(claims);
        more.put(name, value);
        return more;
    }

    private static int infoWith(Map<String, Object> claims) throws Exception {
        String token = provider.anyToken(provider.issuerUrl(ISSUER), claims, Duration.ofHours(1))
                .serialize();
        return call("GET", "/api/v1/info", "Authorization", "Bearer " + token).statusCode();
    }

    /// Users choose their names; only the provider's ids are unique.
    @Test
    void callersAreLoggedAndCountedByTheProvidersId() throws Exception {
        for (String subject : List.of("id-1", "id-2")) {
            String bearer = "Bearer "
                    + provider.issueToken(
                                    ISSUER,
                                    subject,
                                    "trainyard",
                                    Map.of("groups", List.of("train"), "preferred_username", "sam\n(root) asks"))
                            .serialize();
            String job = """
                    [{"id": "%s-1", "network": "lenet", "dataset": "shapes32", "epochs": 1},
                     {"id": "%s-2", "network": "lenet", "dataset": "shapes32", "epochs": 1}]""".formatted(subject, subject);
            assertThat(call(
                                    "POST",
                                    "/api/v1/jobs",
                                    BodyPublishers.ofString(job),
                                    "Authorization",
                                    bearer,
                                    "X-Trainyard",
                                    "x")
                            .statusCode())
                    .as("two each")
                    .isEqualTo(202);
            Patience.await("the log")
                    .untilAsserted(() -> assertThat(dashboard.output() + "\n" + dashboard.errors())
                            .containsPattern(
                                    "sam.{1,3}\\(root\\) asks \\(http://.*/people %s\\) requests: submit %s-1, %s-2"
                                            .formatted(subject, subject, subject)));
        }
    }

    @Test
    void onTheNetworkCookiesAreForTlsOnly() throws Exception {
        assertThat(call("GET", "/").headers().allValues("Set-Cookie"))
                .isNotEmpty()
                .noneMatch(cookie -> cookie.contains("Secure"));
        try (TrainyardProcess there = DashboardProcess.start(
                dir,
                PREFIX,
                0,
                List.of("TRAINYARD_SIGN_IN_SECRET=" + SECRET),
                "--host",
                "0.0.0.0",
                "--tracking",
                "jdbc:sqlite:network.db",
                "--sign-in",
                provider.issuerUrl(ISSUER).toString())) {
            String page = there.await(DashboardIT.URL).replace("0.0.0.0", "localhost");
            assertThat(get(page + "/").headers().allValues("Set-Cookie"))
                    .isNotEmpty()
                    .allMatch(cookie -> cookie.contains("Secure"));
            assertThat(get(page + "/api/v1/info", "Authorization", token("operator"))
                            .body())
                    .contains("\"readOnly\":false");
        }
    }

    /// There is no worker, so all submitted jobs wait.
    @Test
    void waitingJobsAreLimitedPerUser() throws Exception {
        assertThat(submit("alice", "a-1", "a-2").statusCode()).isEqualTo(202);
        HttpResponse<String> more = submit("alice", "a-3");
        assertThat(more.statusCode()).isEqualTo(429);
        assertThat(more.body())
                .contains(
                        "2 jobs that alice submitted wait for a worker, and the body holds 1; allowed are 2 together (trainyard.dashboard.max-waiting-each)");
        assertThat(submit("bert", "b-1").statusCode()).isEqualTo(202);
        Patience.await("the job")
                .untilAsserted(() -> assertThat(call("GET", "/api/v1/jobs/a-1", "Authorization", token("viewer"))
                                .body())
                        .contains("\"submitter\":\"alice\""));
    }

    private static HttpResponse<String> submit(String submitter, String... jobs) throws Exception {
        String list = Arrays.stream(jobs).map("""
                        {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 1}"""::formatted).collect(Collectors.joining(",", "[", "]"));
        String bearer = "Bearer "
                + provider.issueToken(ISSUER, submitter, "trainyard", Map.of("groups", List.of("train")))
                        .serialize();
        return call("POST", "/api/v1/jobs", BodyPublishers.ofString(list), "Authorization", bearer, "X-Trainyard", "x");
    }

    /// Like Google's provider, which offers no logout: the dashboard must not show one.
    @Test
    void aProviderWithoutLogoutStillSignsIn() throws Exception {
        ObjectNode published = metadata();
        assertThat(published.remove("end_session_endpoint")).isNotNull();
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.createContext("/" + KNOWN, call -> answer(call, 200, published));
        other.start();
        try (TrainyardProcess there = dashboardOf(address(other), "other.db")) {
            HttpRequest info = HttpRequest.newBuilder(URI.create(there.await(DashboardIT.URL) + "/api/v1/info"))
                    .header("Authorization", token("viewer"))
                    .build();
            JsonNode answer =
                    JSON.readTree(http.send(info, BodyHandlers.ofString()).body());
            assertThat(answer.get("user").asText()).isEqualTo("robot");
            assertThat(answer.get("role").asText()).isEqualTo("viewer");
            assertThat(answer.get("signOut").isNull()).isTrue();
            JsonNode here = JSON.readTree(call("GET", "/api/v1/info", "Authorization", token("viewer"))
                    .body());
            assertThat(here.get("signOut").asText()).isEqualTo("/sign-out");
        } finally {
            other.stop(0);
        }
    }

    /// The provider's metadata.
    private static ObjectNode metadata() throws Exception {
        URI metadata = URI.create(provider.issuerUrl(ISSUER) + "/" + KNOWN);
        return (ObjectNode)
                JSON.readTree(http.send(HttpRequest.newBuilder(metadata).build(), BodyHandlers.ofByteArray())
                        .body());
    }

    private static String address(HttpServer server) {
        return "http://localhost:" + server.getAddress().getPort();
    }

    private static void answer(HttpExchange call, int status, JsonNode published) throws IOException {
        byte[] answer = JSON.writeValueAsBytes(published);
        call.getResponseHeaders().set("Content-Type", "application/json");
        call.sendResponseHeaders(status, answer.length);
        call.getResponseBody().write(answer);
        call.close();
    }

    /// A provider first accepts the dashboard, then refuses it with an error that repeats the whole request.
    /// Even with the most verbose log, neither the dashboard's secret nor users' credentials appear in it.
    @Test
    void neverLogsTokens() throws Exception {
        Queue<String> proofs = new ConcurrentLinkedQueue<>(List.of(SECRET));
        HttpServer careless = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ObjectNode published = metadata();
        published.put("authorization_endpoint", address(careless) + "/authorize");
        published.put("token_endpoint", address(careless) + "/token");
        careless.createContext("/" + KNOWN, call -> answer(call, 200, published));
        careless.createContext("/token", call -> {
            String asked = new String(call.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String basic = call.getRequestHeaders().getFirst("Authorization");
            proofs.add(basic.replace("Basic ", ""));
            Matcher verifier = Pattern.compile("code_verifier=([^&]+)").matcher(asked);
            assertThat(verifier.find()).isTrue();
            proofs.add(verifier.group(1));
            String decoded =
                    new String(Base64.getDecoder().decode(basic.replace("Basic ", "")), StandardCharsets.UTF_8);
            answer(
                    call,
                    401,
                    JSON.createObjectNode()
                            .put("error", "invalid_client")
                            .put("error_description", String.join(" ", basic, decoded, asked)));
        });
        careless.start();
        try (TrainyardProcess there = dashboardOf(
                address(careless),
                "careless.db",
                "QUARKUS_LOG_LEVEL=DEBUG",
                "QUARKUS_LOG_CATEGORY__IO_QUARKUS__LEVEL=DEBUG")) {
            String page = there.await(DashboardIT.URL);
            HttpResponse<String> away = get(page + "/");
            String state =
                    away.headers().firstValue("Location").orElseThrow().replaceAll(".*[?&]state=([^&]+).*", "$1");
            String cookies = away.headers().allValues("Set-Cookie").stream()
                    .map(cookie -> cookie.replaceAll(";.*", ""))
                    .collect(Collectors.joining("; "));
            String code = "the-code-that-the-provider-gave";
            proofs.add(code);
            HttpResponse<String> back = get(page + "/?code=%s&state=%s".formatted(code, state), "Cookie", cookies);
            assertThat(back.statusCode()).isEqualTo(401);
            assertThat(proofs).as("it has asked the provider").hasSize(4);

            String bearer = token("viewer");
            proofs.add(bearer.replace("Bearer ", ""));
            assertThat(get(page + "/api/v1/info", "Authorization", bearer).statusCode())
                    .isEqualTo(200);
            String forged = "Bearer forged-and-told-all-the-same";
            proofs.add(forged.replace("Bearer ", ""));
            assertThat(get(page + "/api/v1/info", "Authorization", forged).statusCode())
                    .isEqualTo(401);

            String log = String.join("\n", there.output(), there.errors(), dashboard.output(), dashboard.errors());
            assertThat(log.lines().filter(line -> line.contains("SignInFilter")))
                    .as("the reason of the failed sign-in")
                    .anyMatch(line -> line.contains("(OidcProviderClientImpl): status 401, invalid_client"));
            assertThat(log.lines()).as("it logs as much as possible").anyMatch(line -> line.contains(" DEBUG "));
            assertThat(log.lines().filter(line -> proofs.stream().anyMatch(line::contains)))
                    .isEmpty();
            assertThat(back.body() + back.headers()).doesNotContain(proofs);
        } finally {
            careless.stop(0);
        }
    }

    private static HttpResponse<String> get(String address, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address));
        if (headers.length > 0) {
            var _ = request.headers(headers);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void reportsAnInvalidProvider() throws IOException {
        TrainyardProcess lost = TrainyardProcess.run(
                dir,
                "dashboard",
                "--kafka",
                TestBroker.address(),
                "--port",
                "0",
                "--tracking",
                "jdbc:sqlite:none.db",
                "--sign-in",
                url);
        assertThat(lost.exitStatus()).isEqualTo(2);
        assertThat(lost.errors())
                .contains(
                        "--sign-in is \"" + url + "\"", "/.well-known/openid-configuration cannot be read: it answers");
        String password = "a-password-in-an-address";
        TrainyardProcess withUser =
                TrainyardProcess.run(dir, "dashboard", "--sign-in", "https://me:%s@id.example.com".formatted(password));
        assertThat(withUser.exitStatus()).isEqualTo(2);
        assertThat(withUser.errors())
                .contains("--sign-in has a user in its address", "TRAINYARD_SIGN_IN_SECRET")
                .doesNotContain(password);
        TrainyardProcess plain =
                TrainyardProcess.run(dir, "dashboard", "--sign-in", "http://id.example.com/realms/gpu");
        assertThat(plain.exitStatus()).isEqualTo(2);
        assertThat(plain.errors())
                .contains(
                        "--sign-in is \"http://id.example.com/realms/gpu\"; allowed is https://host/path",
                        "for a provider on this machine only");
    }
}
