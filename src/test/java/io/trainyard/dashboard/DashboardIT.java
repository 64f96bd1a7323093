package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.broker.TestBroker;
import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.tracking.Curve;
import io.trainyard.tracking.TrackingStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// The packaged dashboard with a real broker, over HTTP.
class DashboardIT {
    private static final String PREFIX = "dashboard.";

    /// Matches the URL in the command's output, without the trailing slash.
    static final String URL = "Dashboard: (http://[^/]+)/";

    private static final int KILLS = Integer.getInteger("dashboard.kills", 3);

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private static Path dir;

    private static EventPublisher publisher;
    private static TrainyardProcess dashboard;
    private static String url;
    private static HttpClient http;

    @BeforeAll
    static void start() throws Exception {
        TopicAdmin.createMissing(TestBroker.brokers(), PREFIX, Patience.LIMIT);
        publisher = new EventPublisher(TestBroker.address(), PREFIX);
        publisher.send(claimed("earlier"), started(spec("earlier"), 1, 1, 100, null));
        publisher.sendText(Topic.JOBS, "this is no event");
        publisher.sendText(Topic.STEPS, "{\"type\": \"stepLosses\"}");
        publisher.sendText(Topic.WORKERS, "[]");
        publisher.send(losses("earlier", 1, 0, 1, 100), tested("earlier", 1, 0, 100, 0.6));
        publisher.reject("refused", "{", "it is not JSON");
        dashboard = start("--kafka", TestBroker.address(), "--port", "0");
        url = dashboard.await(URL);
        http = HttpClient.newHttpClient();
    }

    @AfterAll
    static void stop() {
        dashboard.close();
        http.close();
        publisher.close();
    }

    private static TrainyardProcess start(String... arguments) {
        return TrainyardProcess.start(
                dir,
                Stream.concat(
                                Stream.of(TrainyardProcess.LAUNCHER.toString(), "dashboard", "--prefix", PREFIX),
                                Stream.of(arguments))
                        .toList());
    }

    private static HttpResponse<String> get(String path) throws Exception {
        return http.send(HttpRequest.newBuilder(URI.create(url + path)).build(), BodyHandlers.ofString());
    }

    private static JsonNode json(String path) throws Exception {
        return JSON.readTree(get(path).body());
    }

    @Test
    void readsEventsFromBeforeItsStart() throws Exception {
        Patience.await("what happened before").untilAsserted(() -> {
            JsonNode detail = json("/api/v1/jobs/earlier");
            assertThat(detail.at("/summary/state").asText()).isEqualTo("running");
            assertThat(detail.at("/summary/step").asLong()).isEqualTo(100);
            assertThat(detail.at("/tests/0/testAccuracy").asDouble()).isEqualTo(0.6);
            assertThat(detail.at("/confusion")).hasSize(10);
            assertThat(json("/api/v1/jobs?text=refused").findValuesAsText("job"))
                    .contains("refused");
        });
        assertThat(json("/api/v1/jobs?text=earlier").findValuesAsText("job")).contains("earlier");
        JsonNode usage = json("/api/v1/usage?by=device");
        assertThat(usage.at("/rows/0/value").asText()).isEqualTo("cpu");
        assertThat(usage.at("/rows/0/deviceHours").asDouble())
                .isPositive()
                .isEqualTo(usage.at("/total/deviceHours").asDouble());
        assertThat(json("/api/v1/usage").get("rows")).hasSize(7);
        assertThat(json("/api/v1/jobs/refused").at("/summary/state").asText()).isEqualTo("rejected");
        assertThat(json("/api/v1/jobs/refused").at("/summary/reason").asText()).isEqualTo("it is not JSON");
        assertThat(json("/api/v1/jobs/earlier/curve").get("mean")).hasSize(100);
        assertThat(json("/api/v1/jobs/earlier/curve?from=11&to=20").get("firstStep"))
                .hasSize(10);
        JsonNode curves = json("/api/v1/curves?jobs=refused,earlier,nobody&from=1,11,1&to=20")
                .get("curves");
        assertThat(curves.at("/earlier/firstStep")).hasSize(10);
        assertThat(curves.at("/refused/firstStep")).isEmpty();
        assertThat(curves.has("nobody")).isFalse();
    }

    @Test
    void skipsUnreadableRecordsAndLogsTheirPosition() {
        Patience.await("the skipped records")
                .untilAsserted(() -> assertThat(dashboard.lines())
                        .anyMatch(line -> line.contains("topic=dashboard.jobs partition=0 offset=2 reason="))
                        .anyMatch(line -> line.contains("topic=dashboard.steps partition=0 offset=0 reason="))
                        .anyMatch(line -> line.contains("topic=dashboard.workers partition=0 offset=0 reason=")));
    }

    @Test
    void answersNotFoundWithASentence() throws Exception {
        HttpResponse<String> missing = get("/api/v1/jobs/%3Cb%3Eno");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.headers().firstValue("content-type"))
                .hasValueSatisfying(t -> assertThat(t).startsWith("application/problem+json"));
        JsonNode problem = JSON.readTree(missing.body());
        assertThat(problem.get("status").asInt()).isEqualTo(404);
        assertThat(problem.get("title").asText()).isEqualTo("Not Found");
        assertThat(problem.get("detail").asText()).startsWith("there is no job \"<b>no\" here");
        assertThat(get("/api/v1/jobs/no/curve").statusCode()).isEqualTo(404);
        assertThat(get("/api/v1/jobs/earlier/curve?from=x").statusCode()).isEqualTo(400);
        assertThat(json("/api/v1/jobs/earlier/curve?from=x").get("detail").asText())
                .startsWith("from is \"x\"; allowed is");
        assertThat(get("/api/v1/jobs/earlier/curve?from=9&to=8").statusCode()).isEqualTo(400);
        assertThat(json("/api/v1/curves?jobs=a,b,c&from=1,2").get("detail").asText())
                .isEqualTo("from names 2 steps for 3 jobs; allowed is one for all, or one for each");
        assertThat(get("/api/v1/curves").statusCode()).isEqualTo(400);
        assertThat(get("/api/v1/usage?by=mood").statusCode()).isEqualTo(400);
        assertThat(json("/api/v1/usage?by=mood").get("detail").asText())
                .isEqualTo("by is \"mood\"; allowed is day, device, dataset, network, worker, state");
        assertThat(json("/api/v1/usage?from=2026-11-31").get("detail").asText())
                .startsWith("from is \"2026-11-31\"; allowed is a day");
        assertThat(json("/api/v1/usage?from=2026-11-02&to=2026-11-01")
                        .get("detail")
                        .asText())
                .endsWith("which are 0 days; allowed is 1 to 1000");
    }

    @Test
    void servesThePageWithAStrictPolicy() throws Exception {
        HttpResponse<String> page = get("/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("content-security-policy"))
                .hasValueSatisfying(policy ->
                        assertThat(policy).startsWith("default-src 'self'").doesNotContain("unsafe"));
        assertThat(get("/favicon.svg").statusCode()).isEqualTo(200);
    }

    @Test
    void publishesChangesLive() throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url + "/api/v1/live")).build();
        try (var stream = new EventStream(http.send(request, BodyHandlers.ofInputStream()))) {
            EventStream.Event first = stream.next();
            assertThat(first.name()).isEqualTo("snapshot");

            publisher.send(spec("live"));
            JsonNode waiting = changeOf(stream, "live");
            assertThat(waiting.get("state").asText()).isEqualTo("queued");
            assertThat(waiting.get("network").asText()).isEqualTo("lenet");
            publisher.send(claimed("live"));
            JsonNode claimed = changeOf(stream, "live");
            assertThat(claimed.get("state").asText()).isEqualTo("running");

            publisher.send(started(spec("live"), 1, 1, 100, null), losses("live", 1, 0, 1, 40));
            Patience.await("step 40")
                    .until(() -> changeOf(stream, "live").get("step").asInt() == 40);

            publisher.send(WorkerStatusBuilder.of("w7", "cpu")
                    .job("live", 1)
                    .samplesPerSecond(900)
                    .memoryBytes(1 << 28)
                    .build());
            Patience.await("the worker")
                    .until(() -> stream.next()
                            .data()
                            .get("workers")
                            .findValuesAsText("worker")
                            .contains("w7"));
        }
        assertThat(json("/api/v1/workers").findValuesAsText("worker")).contains("w7");
    }

    private static HttpResponse<String> send(String method, String path, String body, String... headers)
            throws Exception {
        HttpRequest.Builder call = HttpRequest.newBuilder(URI.create(url + path))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            call.header(headers[i], headers[i + 1]);
        }
        return http.send(call.build(), BodyHandlers.ofString());
    }

    @Test
    void usersMetricsArePublishedByRestAndPythonAndDrawn() throws Exception {
        publisher.send(claimed("measured"));
        Patience.await("the job")
                .until(() -> get("/api/v1/jobs/measured/metrics").statusCode() == 200);
        String values = "[{\"step\": 1, \"values\": {\"f1\": 0.5}}, {\"step\": 2, \"values\": {\"f1\": 0.75}}]";
        String path = "/api/v1/jobs/%s/metrics";
        assertThat(send("POST", path.formatted("measured"), values).statusCode())
                .as("without the header")
                .isEqualTo(403);
        assertThat(send("POST", path.formatted("nobody"), values, "X-Trainyard", "x")
                        .statusCode())
                .isEqualTo(404);
        for (var wrong : Map.of(
                        "{\"step\": 1, \"values\": {\"a b\": 1}}",
                                "a metric is named \\\"a b\\\"; allowed are 1 to 100 letters",
                        "{\"values\": {\"f1\": 1}}", "the step is null; allowed are whole numbers from 0",
                        "{\"step\": 1, \"values\": {\"f1\": \"NaN\"}}",
                                "the value of f1 is NaN; allowed are finite numbers",
                        "[1]", "an element of the body is 1; allowed are objects",
                        "[]", "the body has 0 objects; allowed are 1 to 1000")
                .entrySet()) {
            HttpResponse<String> refused = send("POST", path.formatted("measured"), wrong.getKey(), "X-Trainyard", "x");
            assertThat(refused.statusCode()).as(wrong.getKey()).isEqualTo(400);
            assertThat(refused.body()).contains(wrong.getValue());
        }
        HttpResponse<String> sent = send("POST", path.formatted("measured"), values, "X-Trainyard", "x");
        assertThat(sent.statusCode()).as(sent.body()).isEqualTo(202);
        Process python = new ProcessBuilder(
                        "python3",
                        "docs/clients/metrics.py",
                        "measured",
                        "--step",
                        "3",
                        "--dashboard",
                        url,
                        "f1=0.25",
                        "ece=nan")
                .inheritIO()
                .start();
        assertThat(python.waitFor()).isZero();
        Patience.await("the metrics").untilAsserted(() -> {
            JsonNode metrics = json("/api/v1/jobs/measured/metrics?points=2").get("metrics");
            assertThat(metrics.findValuesAsText("name")).containsExactly("f1");
            assertThat(metrics.findValuesAsText("step")).containsExactly("1", "3");
            assertThat(metrics.at("/0/last").asDouble()).isEqualTo(0.25);
            assertThat(metrics.at("/0/lastMillis").asLong()).isCloseTo(System.currentTimeMillis(), within(600_000L));
        });
    }

    @Test
    void publishesValidRequestsAndRefusesOthers() throws Exception {
        String job = "{\"id\": \"%s\", \"network\": \"lenet\", \"dataset\": \"shapes32\", \"epochs\": 1}";
        assertThat(send("POST", "/api/v1/jobs", job.formatted("asked")).statusCode())
                .as("without the header")
                .isEqualTo(403);
        assertThat(send(
                                "POST",
                                "/api/v1/jobs",
                                job.formatted("asked"),
                                "X-Trainyard",
                                "x",
                                "Sec-Fetch-Site",
                                "cross-site")
                        .statusCode())
                .isEqualTo(403);
        HttpResponse<String> bad =
                send("POST", "/api/v1/jobs", job.formatted("asked").replace("lenet", "lennet"), "X-Trainyard", "x");
        assertThat(bad.statusCode()).isEqualTo(400);
        assertThat(JSON.readTree(bad.body()).get("detail").asText())
                .startsWith("the body, job 1 (\"asked\"): network is \"lennet\"");

        HttpResponse<String> sent =
                send("POST", "/api/v1/jobs?priority=low", job.formatted("asked"), "X-Trainyard", "x");
        assertThat(sent.statusCode()).isEqualTo(202);
        assertThat(sent.body()).isEqualTo("{\"jobs\":[\"asked\"]}");
        Patience.await("the job").untilAsserted(() -> {
            JsonNode found = json("/api/v1/jobs?text=asked&state=queued");
            assertThat(found.get("total").asInt()).isEqualTo(1);
            assertThat(found.at("/jobs/0/job").asText()).isEqualTo("asked");
            assertThat(found.at("/jobs/0/waiting").asText()).isNotEmpty();
        });

        String path = "/api/v1/jobs/asked";
        assertThat(send("POST", path + "/resume", "", "X-Trainyard", "x").statusCode())
                .isEqualTo(409);
        assertThat(send("POST", path + "/pause", "", "X-Trainyard", "x").statusCode())
                .isEqualTo(202);
        assertThat(json(path).at("/control/desiredState").asText()).isEqualTo("pause");
        assertThat(send("POST", path + "/reprioritize", "{\"priority\": \"high\"}", "X-Trainyard", "x")
                        .statusCode())
                .isEqualTo(202);
        assertThat(json(path).at("/control/desiredState").asText()).isEqualTo("pause");
        assertThat(json(path).at("/control/priority").asText()).isEqualTo("high");
        assertThat(send("POST", "/api/v1/jobs/nobody/cancel", "", "X-Trainyard", "x")
                        .statusCode())
                .isEqualTo(404);
        JsonNode answers = JSON.readTree(send(
                        "POST",
                        "/api/v1/bulk",
                        "{\"action\": \"cancel\", \"jobs\": [\"asked\", \"nobody\"]}",
                        "X-Trainyard",
                        "x")
                .body());
        assertThat(answers.at("/results/0/ok").asBoolean()).isTrue();
        assertThat(answers.at("/results/1/ok").asBoolean()).isFalse();

        assertThat(send("PUT", path + "/notes", "{\"tags\": [\"base\"], \"note\": \"why\"}", "X-Trainyard", "x")
                        .statusCode())
                .isEqualTo(200);
        assertThat(json(path).at("/tags/0").asText()).isEqualTo("base");
        assertThat(json("/api/v1/jobs?tag=base").findValuesAsText("job")).containsExactly("asked");
        assertThat(json(path).at("/command/network").isMissingNode()).isFalse();

        assertThat(topicsOf("asked"))
                .as("the command, and a copy that is more urgent")
                .containsExactlyInAnyOrder(
                        Topic.COMMANDS_LOW, Topic.COMMANDS_HIGH, Topic.CONTROL, Topic.CONTROL, Topic.CONTROL);
    }

    @Test
    void reprioritizesManyThatWaitInOneCall() throws Exception {
        List<String> ids = IntStream.range(0, 100).mapToObj(i -> "many-" + i).toList();
        for (String id : ids) {
            publisher.send(spec(id));
        }
        String jobs = ids.stream().map(id -> '"' + id + '"').collect(Collectors.joining(", "));
        Patience.await("all of them")
                .untilAsserted(() -> assertThat(json("/api/v1/jobs?text=many-&limit=1")
                                .get("total")
                                .asInt())
                        .isEqualTo(ids.size()));

        JsonNode answers = JSON.readTree(send(
                        "POST",
                        "/api/v1/bulk",
                        "{\"action\": \"reprioritize\", \"priority\": \"high\", \"jobs\": [%s]}".formatted(jobs),
                        "X-Trainyard",
                        "x")
                .body());

        assertThat(answers.get("results").findValuesAsText("ok"))
                .hasSize(ids.size())
                .containsOnly("true");
        assertThat(topicsOf("many-99")).contains(Topic.COMMANDS_HIGH, Topic.CONTROL);
        assertThat(json("/api/v1/jobs/many-0").at("/control/priority").asText()).isEqualTo("high");
    }

    /// Of three trials one has finished, one is paused at a rung, and one runs.
    @Test
    void aControlRequestAppliesToAllJobsOfASweep() throws Exception {
        List<JobSpec> trials = Trials.of(JobJson.read("""
                {"id": "trio", "network": "lenet", "dataset": "shapes32", "epochs": 2, "asha": {"reductionFactor": 3}, "sweep": {"seed": [1, 2, 3]}}""".getBytes(StandardCharsets.UTF_8)));
        List<String> ids = trials.stream().map(JobSpec::id).toList();
        for (JobSpec trial : trials) {
            publisher.send(trial);
            publisher.send(claimed(trial.id()));
        }
        publisher.send(
                finished(ids.get(0), 1, 20),
                new TrainingEvent.Paused(ids.get(1), 1, 7, 1, "others of its group are better"),
                tested(ids.get(2), 1, 0, 7, 0.75));
        Patience.await("the sweep").untilAsserted(() -> {
            JsonNode sweep = json("/api/v1/sweeps/trio");
            assertThat(sweep.get("trials").findValuesAsText("state"))
                    .containsExactlyInAnyOrder("finished", "paused", "running");
            assertThat(sweep.at("/trials/0/job").asText()).isEqualTo(ids.get(2));
        });

        assertThat(ofSweep("resume").findValuesAsText("sentence"))
                .as("jobs paused at a rung are not resumed")
                .containsExactly(
                        "is paused because other trials of its sweep are better",
                        "is running and was not paused; nothing to resume");
        assertThat(json("/api/v1/jobs/" + ids.get(1))
                        .at("/control/desiredState")
                        .isMissingNode())
                .isTrue();
        assertThat(ofSweep("pause").findValuesAsText("ok")).containsExactly("true", "true");
        assertThat(json("/api/v1/jobs/" + ids.get(1))
                        .at("/control/desiredState")
                        .asText())
                .isEqualTo("pause");
        assertThat(ofSweep("resume").findValuesAsText("sentence"))
                .as("a request for all is replaced by another one for all")
                .containsExactly("continues", "continues");
        assertThat(json("/api/v1/jobs/" + ids.get(1)).at("/control/skipRungs").asBoolean())
                .isFalse();
        assertThat(ofSweep("cancel").findValuesAsText("job")).containsExactly(ids.get(1), ids.get(2));

        assertThat(bulk("{\"action\": \"cancel\", \"sweep\": \"TRIO\"}").statusCode())
                .isEqualTo(404);
        assertThat(bulk("{\"action\": \"cancel\", \"sweep\": \"trio\", \"jobs\": [\"a\"]}")
                        .body())
                .contains("jobs and sweep are given");
        assertThat(bulk("{\"action\": \"reprioritize\", \"priority\": \"high\", \"sweep\": \"trio\"}")
                        .body())
                .contains("of a sweep allowed is cancel, pause, resume");
    }

    private static JsonNode ofSweep(String action) throws Exception {
        HttpResponse<String> answer = bulk("{\"action\": \"%s\", \"sweep\": \"trio\"}".formatted(action));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).get("results");
    }

    private static HttpResponse<String> bulk(String body) throws Exception {
        return send("POST", "/api/v1/bulk", body, "X-Trainyard", "x");
    }

    @Test
    void servesModels() throws Exception {
        byte[] model = "weights".getBytes(StandardCharsets.UTF_8);
        Path folder = Files.createDirectories(dir.resolve("checkpoints/keeps/checkpoints"));
        Files.write(folder.resolve("step-0000000100-1.safetensors"), model);
        publisher.send(
                claimed("keeps"),
                started(spec("keeps"), 1, 1, 100, null),
                saved("keeps", 1, 0, 100),
                saved("keeps", 1, 1, 200));
        String path = "/api/v1/jobs/keeps/checkpoints/";
        Patience.await("both")
                .untilAsserted(() -> assertThat(json("/api/v1/jobs/keeps").get("checkpoints"))
                        .hasSize(2));

        HttpResponse<String> found = get(path + "100");
        assertThat(found.body()).isEqualTo("weights");
        assertThat(found.headers().firstValue("Content-Disposition"))
                .hasValue("attachment; filename=\"keeps-step-100.safetensors\"");
        for (int i = 0; i < 20; i++) {
            HttpResponse<String> head = send("HEAD", path + "100", "");
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.headers().firstValue("Content-Disposition")).isPresent();
        }
        assertThat(openFiles(".safetensors")).as("files left open").isEmpty();
        HttpResponse<String> gone = get(path + "200");
        assertThat(gone.statusCode()).isEqualTo(404);
        assertThat(gone.body()).contains("any more", "--checkpoints");
        HttpResponse<String> never = get(path + "150");
        assertThat(never.statusCode()).isEqualTo(404);
        assertThat(never.body()).contains("it has 2, the last after step 200");
    }

    /// Open files of the dashboard's process with this ending.
    private static List<String> openFiles(String ending) throws IOException {
        assumeTrue(OS.LINUX.isCurrentOs(), "reads /proc, which only Linux has");
        List<String> open = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/%d/fd".formatted(dashboard.pid())))) {
            for (Path file : files.toList()) {
                try {
                    open.add(Files.readSymbolicLink(file).toString());
                } catch (IOException _) { // closed meanwhile
                }
            }
        }
        return open.stream().filter(name -> name.endsWith(ending)).toList();
    }

    /// The topics with records of a job.
    private static List<Topic> topicsOf(String job) {
        List<Topic> found = new ArrayList<>();
        try (EventLog log = EventLog.open(
                new Cluster(TestBroker.brokers(), PREFIX, Patience.LIMIT),
                List.of(Topic.COMMANDS_LOW, Topic.COMMANDS_NORMAL, Topic.COMMANDS_HIGH, Topic.CONTROL))) {
            log.readToEnd(entry -> {
                if (job.equals(entry.job())) {
                    found.add(entry.topic());
                }
            });
        }
        return found;
    }

    @Test
    void groupsAndCompares() throws Exception {
        for (String job : List.of("left", "right")) {
            publisher.send(spec(job));
            publisher.send(claimed(job), started(spec(job), 1, 1, 100, null));
            publisher.send(losses(job, 1, 0, 1, 100), tested(job, 1, 0, 100, 0.6));
        }
        Patience.await("both").untilAsserted(() -> {
            JsonNode compared = json("/api/v1/compare?jobs=left,right");
            assertThat(compared.at("/tests/0/pValue").asDouble()).isEqualTo(1);
            assertThat(compared.get("fields")).isEmpty();
            assertThat(json("/api/v1/groups?by=batchSize&text=left")
                            .at("/groups/0/value")
                            .asText())
                    .isEqualTo("8");
            JsonNode found = json(
                    "/api/v1/jobs?text=t&where=batchSize%20%3C%209%20and%20bestTestAccuracy%20%3E%200.5&sort=optimizer.learningRate&fields=batchSize");
            assertThat(found.at("/jobs/0/values/batchSize").asInt()).isEqualTo(8);
            assertThat(found.get("fields").toString()).contains("optimizer.learningRate");
            assertThat(json("/api/v1/jobs?where=batchSize%20%3E%209&text=left")
                            .get("total")
                            .asInt())
                    .isZero();
            assertThat(get("/api/v1/jobs?sort=nothing").statusCode()).isEqualTo(400);
            assertThat(json("/api/v1/groups/curve?jobs=left,right&points=20")
                            .at("/count/0")
                            .asInt())
                    .isGreaterThanOrEqualTo(2);
        });
        assertThat(json("/api/v1/jobs/left/learning-rates").get(0).get("step").asInt())
                .isEqualTo(1);
        assertThat(get("/api/v1/compare?jobs=left,nobody").statusCode()).isEqualTo(404);
        assertThat(get("/api/v1/nothing").statusCode()).isEqualTo(404);
        assertThat(json("/api/v1/info").at("/sources/kafka/ok").asBoolean()).isTrue();
        assertThat(get("/api/v1/openapi").body()).contains("/api/v1/jobs/{id}/curve");
    }

    /// The next change of the job.
    private static JsonNode changeOf(EventStream stream, String job) throws IOException {
        while (true) {
            EventStream.Event event = stream.next();
            for (JsonNode summary : event.data().get("jobs")) {
                if (event.name().equals("change") && summary.get("job").asText().equals(job)) {
                    return summary;
                }
            }
        }
    }

    /// The stored events and the read position are committed together, so a kill at any time is safe.
    @Test
    void aKillLosesAndDuplicatesNothing() throws Exception {
        int step = 1;
        for (int round = 0; round <= KILLS; round++) {
            try (var killed =
                    start("--kafka", TestBroker.address(), "--port", "0", "--tracking", "jdbc:sqlite:kills.db")) {
                String there = killed.await(URL);
                if (round == 0) {
                    publisher.send(claimed("kept"), started(spec("kept"), 1, 1, 100, null));
                }
                for (int i = 0; i < 50; i++, step += 7) {
                    publisher.send(losses("kept", 1, 0, step, 7));
                }
                if (round < KILLS) {
                    killed.kill();
                    continue;
                }
                int last = step - 1;
                Patience.await("all steps").untilAsserted(() -> {
                    HttpRequest losses = HttpRequest.newBuilder(URI.create(there + "/api/v1/jobs/kept/curve"))
                            .build();
                    HttpResponse<String> answer = http.send(losses, BodyHandlers.ofString());
                    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                    JsonNode points = JSON.readTree(answer.body());
                    assertThat(points.path("lastStep")
                                    .path(points.path("lastStep").size() - 1)
                                    .asInt())
                            .isEqualTo(last);
                });
            }
        }
        try (TrackingStore store = TrackingStore.open("jdbc:sqlite:" + dir.resolve("kills.db"))) {
            Curve curve = store.losses("kept", 1, Long.MAX_VALUE, 1).orElseThrow();
            int count = 0;
            for (int i = 0; i < curve.buckets().size(); i++) {
                count += curve.buckets().count(i);
            }
            assertThat(count).isEqualTo(step - 1);
        }
    }

    @Test
    void reportsAnInvalidTrackingStore() throws Exception {
        try (var other = start("--kafka", TestBroker.address(), "--port", "0", "--tracking", "jdbc:mysql://here")) {
            assertThat(other.exitStatus()).isEqualTo(2);
            assertThat(other.errors())
                    .startsWith(
                            "--tracking: the tracking store is \"jdbc:mysql://here\"; allowed are jdbc:sqlite:FILE");
        }
    }

    @Test
    void reportsAPortInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getByName("localhost"));
                var second = start("--kafka", TestBroker.address(), "--port", Integer.toString(taken.getLocalPort()))) {
            assertThat(second.exitStatus()).isEqualTo(2);
            assertThat(second.output()).isEmpty();
            assertThat(second.errors()).startsWith("cannot listen on localhost:" + taken.getLocalPort());
        }
    }

    @Test
    void endsWithoutAnErrorWhenStopped() throws Exception {
        try (var other = start("--kafka", TestBroker.address(), "--port", "0")) {
            other.await(URL);
            other.terminate();
            assertThat(other.exitStatus()).isIn(0, 143);
            assertThat(other.output() + other.errors()).doesNotContain("ERROR");
        }
    }

    /// A client for server-sent events.
    private static final class EventStream implements AutoCloseable {
        record Event(String name, JsonNode data) {}

        private final BufferedReader lines;

        EventStream(HttpResponse<java.io.InputStream> response) {
            assertThat(response.headers().firstValue("content-type")).hasValue("text/event-stream");
            lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
        }

        Event next() throws IOException {
            String name = "";
            StringBuilder data = new StringBuilder();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("event:")) {
                    name = line.substring("event:".length()).strip();
                } else if (line.startsWith("data:")) {
                    data.append(line.substring("data:".length()));
                } else if (line.isEmpty() && !data.isEmpty()) {
                    return new Event(name, JSON.readTree(data.toString()));
                }
            }
            throw new IOException("the stream has ended");
        }

        @Override
        public void close() throws IOException {
            lines.close();
        }
    }
}
