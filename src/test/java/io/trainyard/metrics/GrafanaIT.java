package io.trainyard.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.PackagedFleet;
import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.metrics.Grafana.Board;
import io.trainyard.metrics.Grafana.Panel;
import io.trainyard.topics.Priority;
import io.trainyard.tracking.Databases;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Runs the queries of the Grafana dashboards against the system's Prometheus, which scrapes a dashboard and a
/// worker, and against a PostgreSQL that the dashboard has filled. Each query must have a result, except those
/// about GPUs (NVIDIA's DCGM exporter) and brokers (kafka-exporter), which no process here exports. Those only
/// need to be valid.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class GrafanaIT {
    private static final List<String> JOBS = List.of("first", "second");

    @TempDir
    private static Path dir;

    private static PackagedFleet fleet;
    private static TrainyardProcess dashboard;
    private static Prometheus prometheus;
    private static String store;
    private static Connection reader;
    private static String page;
    private static String worker;

    @BeforeAll
    static void start() throws Exception {
        Prometheus.program("prometheus"); // before all slow steps
        store = Databases.POSTGRESQL.empty();
        try (Connection owner = DriverManager.getConnection(store);
                Statement statement = owner.createStatement()) {
            statement.execute(Files.readString(Path.of("grafana/reader.sql")));
        }
        fleet = PackagedFleet.withBroker(dir);
        fleet.startWorker("w1", "--metrics-port", "0", "--device", "reference");
        dashboard = fleet.start("dashboard", "--port", "0", "--tracking", store);
        page = dashboard.await("Dashboard: http://([^/]+)/");
        worker = fleet.worker("w1").await("Metrics: http://([^/]+)/metrics");
        fleet.awaitMembers();
        prometheus = Prometheus.start(dir, """
                global: {scrape_interval: 1s}
                scrape_configs:
                  - job_name: trainyard-dashboard
                    static_configs: [{targets: ['%s']}]
                  - job_name: trainyard-worker
                    static_configs: [{targets: ['%s']}]""".formatted(page, worker));
        awaitValue("sum(trainyard_workers{state=\"idle\"})", 1); // no counters yet
        awaitValue("sum(trainyard_worker_busy)", 0);
        for (String job : JOBS) {
            submit(job);
        }
        awaitValue("trainyard_jobs_finished_total", JOBS.size());
        awaitValue("sum(trainyard_worker_claim_to_first_step_seconds_count)", JOBS.size());
        reader = DriverManager.getConnection(store.replaceFirst("user=[^&]+", "user=grafana&password=grafana"));
    }

    @AfterAll
    static void stop() throws Exception {
        if (reader != null) {
            reader.close();
        }
        if (prometheus != null) {
            prometheus.close();
        }
        if (dashboard != null) {
            dashboard.close();
        }
        if (fleet != null) {
            fleet.close();
        }
    }

    private static void submit(String job) {
        fleet.send("""
                {"id": "%s", "dataset": "shapes28", "epochs": 2,
                 "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}}""".formatted(job), Priority.NORMAL);
    }

    private static void awaitValue(String promql, double value) {
        Patience.await(promql + " to be " + value).untilAsserted(() -> {
            JsonNode rows = prometheus.query(promql);
            assertThat(rows).as("%s at %s", promql, prometheus.targets()).hasSize(1);
            assertThat(rows.path(0).path("value").path(1).asDouble()).isEqualTo(value);
        });
    }

    /// Container probes.
    @Test
    void probesAreAnswered() throws Exception {
        for (String probe : List.of("started", "ready", "live")) {
            for (String host : List.of(page, worker)) {
                JsonNode answer = get(host, "/q/health/" + probe);
                assertThat(answer.get("checks").findValuesAsText("name"))
                        .as("%s of %s", probe, host)
                        .containsExactlyInAnyOrderElementsOf(
                                probe.equals("live") ? List.of("worker", "dashboard") : List.of("worker"));
                assertThat(answer.get("status").asText())
                        .as("%s of %s", probe, host)
                        .isEqualTo("UP");
            }
        }
    }

    /// A store that refuses logins counts as unavailable. Records that arrive meanwhile are stored later.
    @Test
    @Order(Integer.MAX_VALUE) // adds a job to the store
    void theDashboardReportsAnUnavailableStoreAndMissesNothing() throws Exception {
        String database =
                URI.create(store.substring("jdbc:".length())).getPath().substring(1);
        try (Connection owner = DriverManager.getConnection(store.replaceFirst(database, "postgres"));
                Statement statement = owner.createStatement()) {
            statement.execute("ALTER DATABASE " + database + " ALLOW_CONNECTIONS false");
            statement.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s' AND usename <> 'grafana'"
                            .formatted(database));
            awaitStore(false); // before the next write
            submit("meanwhile");
            statement.execute("ALTER DATABASE " + database + " ALLOW_CONNECTIONS true");
        }
        awaitStore(true);
        Patience.await("what happened meanwhile")
                .untilAsserted(() -> assertThat(get(page, "/api/v1/jobs/meanwhile")
                                .at("/summary/state")
                                .asText())
                        .isEqualTo("finished"));
    }

    private static void awaitStore(boolean ok) {
        Patience.await("the store to be " + (ok ? "there" : "away"))
                .untilAsserted(() -> assertThat(get(page, "/api/v1/info")
                                .at("/sources/store/ok")
                                .asBoolean())
                        .isEqualTo(ok));
    }

    static Stream<Panel> panels(boolean sql) {
        return Grafana.boards()
                .filter(board -> board.isSql() == sql)
                .map(Board::panels)
                .flatMap(List::stream);
    }

    static Stream<Panel> promQlPanels() {
        return panels(false);
    }

    static Stream<Panel> sqlPanels() {
        return panels(true);
    }

    @ParameterizedTest
    @MethodSource("promQlPanels")
    void prometheusAnswersWhatAPanelAsks(Panel panel) throws Exception {
        boolean ofOthers = panel.board().name().equals("kafka")
                || panel.questions().getFirst().contains("DCGM_");
        for (String question : panel.questions()) {
            JsonNode rows = prometheus.query(question.replace("$__rate_interval", "10m")
                    .replace("$job", ".+")
                    .replace("$instance", ".+")
                    .replace("${prefix}", "trainyard.")
                    .replace("$prefix", "trainyard."));
            assertThat(rows.isEmpty()).as("%s%n%s", question, rows).isEqualTo(ofOthers);
            assertThat(rows)
                    .allSatisfy(row -> assertThat(row.path("value").path(1).asDouble())
                            .as(question)
                            .isNotNaN());
        }
    }

    @ParameterizedTest
    @MethodSource("sqlPanels")
    void theStoreAnswersWhatAPanelAsks(Panel panel) throws Exception {
        for (String question : panel.questions()) {
            for (String job : JOBS) {
                assertThat(rows(question.replace("${job:sqlstring}", "'" + job + "'")))
                        .as(question)
                        .isNotEmpty()
                        .anySatisfy(row -> assertThat(row).doesNotContainNull());
            }
        }
    }

    /// A panel's numbers equal the dashboard's.
    @Test
    void theLossesAreReadFromTheirBytes() throws Exception {
        Panel loss = panels(true)
                .filter(panel -> panel.title().equals("Loss by step"))
                .findFirst()
                .orElseThrow();
        List<List<Object>> rows = rows(loss.questions().getFirst().replace("${job:sqlstring}", "'first'"));
        JsonNode curve = get(page, "/api/v1/jobs/first/curve?points=1000&from=1&to=100000");
        List<Double> published = new ArrayList<>();
        curve.path("mean").forEach(mean -> published.add(mean.asDouble()));
        assertThat(published).as("%s", curve).isNotEmpty();
        double least =
                rows.stream().mapToDouble(row -> (Double) row.get(1)).min().orElseThrow();
        double greatest =
                rows.stream().mapToDouble(row -> (Double) row.get(3)).max().orElseThrow();
        assertThat(published.stream().mapToDouble(mean -> mean).min().orElseThrow())
                .isEqualTo(least);
        assertThat(published.stream().mapToDouble(mean -> mean).max().orElseThrow())
                .isEqualTo(greatest);
        assertThat(rows)
                .allSatisfy(row -> assertThat((Double) row.get(2)).isBetween((Double) row.get(1), (Double) row.get(3)));
    }

    @Test
    void aReaderCannotWriteToTheStore() {
        assertThatThrownBy(() -> rows("DELETE FROM jobs RETURNING job"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("permission denied");
    }

    @Test
    void aPageListsTheJobs() throws Exception {
        Board board = Grafana.boards().filter(Board::isSql).findFirst().orElseThrow();
        assertThat(rows(board.variables().get(1).path("query").asText()))
                .extracting(List::getFirst)
                .containsExactlyInAnyOrderElementsOf(JOBS);
    }

    @Test
    void aWorkersPortServesItsMetricsAndNothingElse() throws Exception {
        for (String path :
                new String[] {"/", "/api/v1/jobs", "/api/v1/info", "/q/openapi", "/metrics/", "/metrics/.."}) {
            assertThat(status(worker, path)).as(path).isEqualTo(404);
        }
        assertThat(status(worker, "/metrics")).isEqualTo(200);
        assertThat(prometheus.query("{instance=\"%s\", __name__=~\"trainyard_jobs.*\"}".formatted(worker)))
                .isEmpty();
        assertThat(dir.resolve("tracking.db")).doesNotExist();
    }

    private static int status(String host, String path) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(URI.create("http://" + host + path))
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
        }
    }

    private static JsonNode get(String host, String path) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return new ObjectMapper()
                    .readTree(http.send(
                                    HttpRequest.newBuilder(URI.create("http://" + host + path))
                                            .build(),
                                    BodyHandlers.ofString())
                            .body());
        }
    }

    private static List<List<Object>> rows(String sql) throws SQLException {
        try (Statement statement = reader.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<List<Object>> found = new ArrayList<>();
            while (rows.next()) {
                List<Object> row = new ArrayList<>();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    row.add(rows.getObject(column));
                }
                found.add(row);
            }
            return found;
        }
    }
}
