package io.trainyard.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.started;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.RequestOptions;
import io.trainyard.Patience;
import io.trainyard.Ports;
import io.trainyard.Programs;
import io.trainyard.TrainyardProcess;
import io.trainyard.broker.TestBroker;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The dashboard with a real Keycloak, which imports the realm in the documentation.
class KeycloakIT {
    private static final String PREFIX = "keycloak.";
    private static final String SECRET = "the-secret-of-the-dashboard-and-programs";
    private static final String JOB = "/api/v1/jobs/mine";
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private static Path dir;

    private static final List<TrainyardProcess> STARTED = new ArrayList<>();
    private static String keycloak;
    private static String url;
    private static HttpClient http;

    @BeforeAll
    static void start() throws Exception {
        Path jar = jar();
        keycloak = "http://localhost:" + Ports.take();
        url = "http://localhost:" + Ports.take();
        Path imported = Files.createDirectories(dir.resolve("data/import"));
        Files.writeString(imported.resolve("gpu-realm.json"), realm().toString());
        TrainyardProcess provider = TrainyardProcess.start(
                dir,
                List.of(
                        "/usr/bin/env",
                        "KC_BOOTSTRAP_ADMIN_USERNAME=admin",
                        "KC_BOOTSTRAP_ADMIN_PASSWORD=" + SECRET,
                        "TRAINYARD_SIGN_IN_SECRET=" + SECRET,
                        "TRAINYARD_PROGRAMS_SECRET=" + SECRET,
                        "TRAINYARD_URL=" + url,
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx400m",
                        "-XX:TieredStopAtLevel=1",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                        "-Dkc.home.dir=" + dir,
                        "-Dkc.config.built=true", // as shipped; otherwise it builds itself first
                        "-cp",
                        jar.toString(),
                        "io.quarkus.bootstrap.runner.QuarkusEntryPoint",
                        "start-dev",
                        "--http-host=127.0.0.1",
                        "--http-port=" + URI.create(keycloak).getPort(),
                        "--import-realm"));
        STARTED.add(provider);
        TopicAdmin.createMissing(TestBroker.brokers(), PREFIX, Patience.LIMIT);
        try (EventPublisher publisher = new EventPublisher(TestBroker.address(), PREFIX)) {
            publisher.send(spec("mine"));
            publisher.send(claimed("mine"), started(spec("mine"), 1, 1, 100, null));
        }
        Patience.awaitJobs("Keycloak")
                .until(() -> !provider.isAlive() || provider.output().contains("Listening on"));
        assertThat(provider.isAlive()).as(provider.toString()).isTrue();
        TrainyardProcess dashboard = DashboardProcess.start(
                dir,
                PREFIX,
                URI.create(url).getPort(),
                List.of("TRAINYARD_SIGN_IN_SECRET=" + SECRET),
                "--tracking",
                "jdbc:sqlite:tracking.db",
                "--sign-in",
                keycloak + "/realms/gpu");
        STARTED.add(dashboard);
        assertThat(dashboard.await(DashboardIT.URL)).isEqualTo(url);
        http = HttpClient.newHttpClient();
    }

    private static Path jar() throws IOException {
        Path folder = Files.createDirectories(Path.of("target", "keycloak"));
        try (Stream<Path> versions = Files.list(folder)) {
            return Programs.required(
                            versions.max(Comparator.naturalOrder()),
                            "Keycloak is not here: ./trainyard verify downloads it")
                    .resolve("lib", "quarkus-run.jar")
                    .toAbsolutePath();
        }
    }

    @AfterAll
    static void stop() {
        STARTED.forEach(TrainyardProcess::close);
    }

    /// The realm in the documentation with users, short sessions, and a client whose tokens are not for the
    /// dashboard.
    private static ObjectNode realm() throws Exception {
        ObjectNode realm =
                (ObjectNode) JSON.readTree(Path.of("docs/how-to/gpu-realm.json").toFile());
        ((ObjectNode) realm.at("/groups/0")).put("id", "operators");
        ArrayNode clients = realm.withArray("clients");
        clients.get(0).withObject("/attributes").put("access.token.lifespan", "5");
        ObjectNode programs = ((ObjectNode) clients.get(1)).put("directAccessGrantsEnabled", true);
        ObjectNode wiki = programs.deepCopy().put("clientId", "wiki");
        var _ = wiki.withArray("protocolMappers").remove(1);
        clients.add(wiki);
        addUser(realm, "ada", "/operator", "/viewer");
        addUser(realm, "bob", "/viewer");
        addUser(realm, "eve");
        return realm;
    }

    private static void addUser(ObjectNode realm, String name, String... groups) {
        ObjectNode user = realm.withArray("users").addObject();
        user.put("id", name)
                .put("username", name)
                .put("enabled", true)
                .put("email", name + "@example.com")
                .put("firstName", name)
                .put("lastName", name);
        user.putArray("credentials").addObject().put("type", "password").put("value", SECRET);
        ArrayNode names = user.putArray("groups");
        List.of(groups).forEach(names::add);
    }

    private static HttpResponse<String> call(String method, String address, String body, String... headers)
            throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(address)).method(method, BodyPublishers.ofString(body));
        if (headers.length > 0) {
            var _ = request.headers(headers);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private static String token(String realm, String grant) throws Exception {
        HttpResponse<String> answer = call(
                "POST",
                keycloak + "/realms/" + realm + "/protocol/openid-connect/token",
                grant,
                "Content-Type",
                "application/x-www-form-urlencoded");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return "Bearer " + JSON.readTree(answer.body()).get("access_token").asText();
    }

    private static String tokenOf(String user, String client) throws Exception {
        return token(
                "gpu",
                "grant_type=password&client_id=%s&client_secret=%s&username=%s&password=%s"
                        .formatted(client, SECRET, user, SECRET));
    }

    private static int look(String token) throws Exception {
        return call("GET", url + JOB, "", "Authorization", token).statusCode();
    }

    private static HttpResponse<String> pause(String token, String... headers) throws Exception {
        List<String> all = new ArrayList<>(List.of("Authorization", token));
        all.addAll(List.of(headers));
        return call("POST", url + JOB + "/pause", "", all.toArray(String[]::new));
    }

    @Test
    void programsSendTokens() throws Exception {
        assertThat(call("GET", url + JOB, "", "X-Requested-With", "JavaScript").statusCode())
                .as("a script is not redirected")
                .isEqualTo(499);
        String viewer = tokenOf("bob", "trainyard-programs");
        Patience.await("the job").untilAsserted(() -> assertThat(look(viewer)).isEqualTo(200));
        HttpResponse<String> refused = pause(viewer, "X-Trainyard", "x");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("bob can read, but not change anything");

        String program =
                token("gpu", "grant_type=client_credentials&client_id=trainyard-programs&client_secret=" + SECRET);
        assertThat(pause(program).statusCode()).as("without the header").isEqualTo(403);
        assertThat(pause(program, "X-Trainyard", "x").statusCode()).isEqualTo(202);

        HttpResponse<String> stranger =
                call("GET", url + JOB, "", "Authorization", tokenOf("eve", "trainyard-programs"));
        assertThat(stranger.statusCode()).isEqualTo(403);
        assertThat(stranger.body())
                .contains(
                        "eve has signed in, but may not see this dashboard: the claim groups names none of operator, viewer");
    }

    @Test
    void otherTokensAreRefused() throws Exception {
        String operator = tokenOf("ada", "trainyard-programs");
        assertThat(look(operator)).isEqualTo(200);
        assertThat(look(tokenOf("ada", "wiki"))).as("another client's").isEqualTo(401);
        assertThat(look(admin())).as("another realm's").isEqualTo(401);
        assertThat(look(operator.substring(0, operator.length() - 40) + "A".repeat(40)))
                .as("forged")
                .isEqualTo(401);
        assertThat(look("Bearer nonsense")).isEqualTo(401);
    }

    private static String admin() throws Exception {
        return token("master", "grant_type=password&client_id=admin-cli&username=admin&password=" + SECRET);
    }

    private static void administer(String method, String path) throws Exception {
        assertThat(call(method, keycloak + "/admin/realms/gpu" + path, "", "Authorization", admin())
                        .statusCode())
                .isEqualTo(204);
    }

    /// Any page of the dashboard may be the first, although one redirect URI is registered.
    @Test
    void usersSignInAndOut() {
        try (Chromium chromium = Chromium.open()) {
            Page page = chromium.page(1200, 900, ColorScheme.LIGHT);
            page.navigate(url + JOB);
            signIn(page, "bob");
            page.waitForURL(url + JOB);
            assertThat(page.locator("body")).containsText("\"mine\"");
            page.navigate(url + "/#job/mine");
            assertThat(page.locator("#detail-heading")).hasText("mine");
            assertThat(page.locator("#user")).containsText("bob");
            assertThat(page.locator("#connection")).hasText("Live");
            assertThat(page.locator("#cancel")).hasCount(0);

            page.getByText("Sign out").click();
            signIn(page, "eve");
            assertThat(page.locator("#not-live")).containsText("may not see this dashboard");
            assertThat(page.locator("#connection")).hasText("No access");
        }
    }

    private static void signIn(Page page, String user) {
        page.locator("#username").fill(user);
        page.locator("#password").fill(SECRET);
        page.locator("#kc-login").click();
        page.waitForURL(url + "/**");
    }

    /// Tokens last for five seconds, and so do live streams.
    @Test
    void theProviderDecidesHowLongASessionLasts() throws Exception {
        try (Chromium chromium = Chromium.open()) {
            Page page = chromium.page(1200, 900, ColorScheme.LIGHT);
            page.navigate(url + "/");
            signIn(page, "ada");
            page.navigate(url + "/#job/mine");
            assertThat(page.locator("#cancel")).isVisible();
            assertThat(page.context().cookies(url))
                    .filteredOn(cookie -> cookie.name.startsWith("q_session"))
                    .isNotEmpty()
                    .allSatisfy(cookie -> assertThat(Instant.ofEpochSecond(cookie.expires.longValue()))
                            .as("a page may be idle for longer than a token lasts")
                            .isAfter(Instant.now().plus(Duration.ofHours(10))));

            page.evaluate("""
                    () => {
                      window.words = [];
                      new MutationObserver(() => words.push(document.querySelector("#connection").textContent))
                        .observe(document, {subtree: true, childList: true, characterData: true});
                    }""");
            var _ = page.waitForRequest(url + "/api/v1/live", () -> {});
            administer("DELETE", "/users/ada/groups/operators");
            Patience.await("a new token")
                    .untilAsserted(() -> assertThat(info(page)).contains("\"role\":\"viewer\""));
            assertThat(page.evaluate("words").toString()).doesNotContain("Connection lost");
            page.reload();
            assertThat(page.locator("#user")).containsText("ada");
            assertThat(page.locator("#cancel")).hasCount(0);

            administer("POST", "/users/ada/logout");
            assertThat(page.locator("#connection")).hasText("Signed out");
            page.reload();
            assertThat(page.locator("#kc-login")).isVisible();
        }
    }

    private static String info(Page page) {
        var answer = page.request()
                .get(url + "/api/v1/info", RequestOptions.create().setHeader("X-Requested-With", "JavaScript"));
        return answer.status() + answer.text();
    }
}
