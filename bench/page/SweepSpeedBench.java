package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.trainyard.PackagedFleet;
import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The cost of the largest sweep: the dashboard, the response of REST, and `./trainyard sweep`. It prints figures and
/// asserts none. It uses helpers of the dashboard's tests and is compiled with them:
///
///     cp bench/page/*.java src/test/java/io/trainyard/dashboard/
///     ./mvnw verify -Dquick -Dsurefire.skip -Das.shipped=true -Dit.test=SweepSpeedBench
class SweepSpeedBench {
    private static final int EPOCHS = 9;
    private static final int TIMES = 20;
    private static final int EVENTS = 3;
    private static final String SWEEP = """
            {"id": "many", "network": "fashion", "dataset": "fashion-mnist", "epochs": %d, "random": 1000, "asha": {"reductionFactor": 3},
             "optimizer": {"type": "sgd", "learningRate": 0.1}, "sweep": {"optimizer.learningRate": {"min": 0.0001, "max": 1, "scale": "log"},
              "optimizer.momentum": {"min": 0, "max": 0.99}, "batchSize": [32, 64, 128, 256], "optimizer.weightDecay": {"min": 1e-6, "max": 0.01, "scale": "log"},
              "network": ["fashion", "lenet"]}}""".formatted(EPOCHS);

    @TempDir
    private static Path dir;

    private static final List<JobSpec> TRIALS = Trials.of(JobJson.read(SWEEP.getBytes(StandardCharsets.UTF_8)));
    private static PackagedFleet fleet;
    private static TrainyardProcess dashboard;
    private static EventPublisher publisher;
    private static String url;

    @BeforeAll
    static void start() throws Exception {
        fleet = PackagedFleet.withBroker(dir);
        dashboard = fleet.start("dashboard", "--port", "0");
        url = dashboard.await(DashboardIT.URL) + "/";
        publisher = new EventPublisher(fleet.kafka(), Topic.DEFAULT_PREFIX);
        Random random = new Random(1);
        for (int i = 0; i < TRIALS.size(); i++) {
            JobSpec trial = TRIALS.get(i);
            publisher.send(trial);
            publisher.send(claimed(trial.id(), 1, "w9"), started(trial, 1, 1, 938, null));
            int epochs = i % 9 == 0 ? EPOCHS : i % 3 == 0 ? 3 : 1;
            for (int epoch = 0; epoch < epochs; epoch++) {
                publisher.send(tested(trial.id(), 1, epoch, 938L * (epoch + 1), 0.5 + 0.3 * random.nextDouble()));
            }
            if (epochs < EPOCHS) {
                publisher.send(new TrainingEvent.Paused(
                        trial.id(),
                        1,
                        938L * epochs,
                        epochs,
                        "after %d epochs its accuracy is 0.7000, and of the 1000 jobs of many that were tested there the best 333 continue"
                                .formatted(epochs)));
            }
        }
    }

    @AfterAll
    static void stop() {
        publisher.close();
        dashboard.close();
        fleet.close();
    }

    @Test
    void theAnswer() throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest plain = HttpRequest.newBuilder(URI.create(url + "api/v1/sweeps/many"))
                    .build();
            HttpRequest packed = HttpRequest.newBuilder(plain.uri())
                    .header("Accept-Encoding", "gzip")
                    .build();
            Patience.await("all trials").until(() -> {
                String answer = http.send(plain, BodyHandlers.ofString()).body();
                return answer.split("\"reason\"", -1).length > 800;
            });
            List<Double> millis = new ArrayList<>();
            int bytes = 0;
            int packedBytes = 0;
            for (int i = 0; i < TIMES; i++) {
                long begin = System.nanoTime();
                bytes = http.send(plain, BodyHandlers.ofByteArray()).body().length;
                millis.add((System.nanoTime() - begin) / 1e6);
                packedBytes = http.send(packed, BodyHandlers.ofByteArray()).body().length;
            }
            print(
                    "GET /api/v1/sweeps/many: %d bytes, %d compressed, median %.0f ms, first %.0f ms",
                    bytes, packedBytes, median(millis), millis.getFirst());
            print("the dashboard has %s", resident("dashboard"));
        }
    }

    @Test
    void thePage() throws Exception {
        try (Chromium chromium = Chromium.open()) {
            Page page = chromium.page(1360, 900, ColorScheme.LIGHT);
            CDPSession session = page.context().newCDPSession(page);
            Map<String, Integer> received = new HashMap<>();
            session.on(
                    "Network.dataReceived",
                    event -> received.merge(
                            "bytes", event.get("encodedDataLength").getAsInt(), Integer::sum));
            session.send("Network.enable");
            session.send("Performance.enable");
            page.navigate(url + "#fleet");
            page.waitForTimeout(3000);
            Map<String, Double> before = metrics(session);
            page.evaluate("location.hash = '#sweep/many'");
            page.locator("#trials tbody tr").first().waitFor();
            page.waitForTimeout(1000);
            print("drawn: %s", since(before, metrics(session), 1));
            before = metrics(session);
            page.mouse().move(200, 400);
            for (int i = 0; i < TIMES; i++) {
                page.mouse().move(200 + 40 * i, 400);
                page.waitForTimeout(50);
            }
            print("a move of the pointer: %s", since(before, metrics(session), TIMES));
            page.mouse().move(5, 5);
            before = metrics(session);
            received.clear();
            String first = TRIALS.getFirst().id();
            for (int i = 0; i < EVENTS; i++) {
                publisher.send(tested(first, 1, EPOCHS + i, 938L * (EPOCHS + i + 1), 0.9 + 0.001 * i));
                page.waitForTimeout(3000);
            }
            print(
                    "an event: %s, %d bytes received",
                    since(before, metrics(session), EVENTS), received.getOrDefault("bytes", 0) / EVENTS);
            page.getByText("Show all").click();
            page.waitForTimeout(2000);
            before = metrics(session);
            for (int i = EVENTS; i < 2 * EVENTS; i++) {
                publisher.send(tested(first, 1, EPOCHS + i, 938L * (EPOCHS + i + 1), 0.9 + 0.001 * i));
                page.waitForTimeout(3000);
            }
            print("an event, with all rows shown: %s", since(before, metrics(session), EVENTS));
            Chromium.picture(page, Path.of("target", "page", "sweep-1000.png"));
        }
    }

    @Test
    void theWishes() throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (String action : List.of("pause", "resume")) {
                long begin = System.nanoTime();
                String body = "{\"action\": \"%s\", \"sweep\": \"many\"}".formatted(action);
                HttpRequest call = HttpRequest.newBuilder(URI.create(url + "api/v1/bulk"))
                        .header("Content-Type", "application/json")
                        .header("X-Trainyard", "bench")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
                assertThat(http.send(call, BodyHandlers.ofString()).statusCode())
                        .isEqualTo(200);
                print("POST /api/v1/bulk, %s: %.0f ms", action, (System.nanoTime() - begin) / 1e6);
            }
        }
    }

    @Test
    void theCommand() {
        List<Double> millis = new ArrayList<>();
        String most = "";
        for (int i = 0; i < 3; i++) {
            long begin = System.nanoTime();
            TrainyardProcess sweep = fleet.start("sweep", "many");
            for (String now = ""; sweep.isAlive(); now = resident("sweep")) {
                most = now.isEmpty() ? most : now;
            }
            assertThat(sweep.exitStatus()).as(sweep.toString()).isZero();
            millis.add((System.nanoTime() - begin) / 1e6);
        }
        print("./trainyard sweep: median %.0f ms, at its end %s", median(millis), most);
    }

    private static Map<String, Double> metrics(CDPSession session) {
        Map<String, Double> metrics = new HashMap<>();
        for (JsonElement each : session.send("Performance.getMetrics").getAsJsonArray("metrics")) {
            JsonObject metric = each.getAsJsonObject();
            metrics.put(metric.get("name").getAsString(), metric.get("value").getAsDouble());
        }
        return metrics;
    }

    /// Milliseconds for each of this number.
    private static String since(Map<String, Double> before, Map<String, Double> now, int times) {
        List<String> published = new ArrayList<>();
        for (String name : List.of("ScriptDuration", "RecalcStyleDuration", "LayoutDuration", "TaskDuration")) {
            double millis = 1000 * (now.getOrDefault(name, 0.0) - before.getOrDefault(name, 0.0)) / times;
            published.add(String.format(
                    Locale.ROOT, "%s %.1f ms", name.replace("Duration", "").toLowerCase(Locale.ROOT), millis));
        }
        published.add("%d nodes".formatted((long) now.getOrDefault("Nodes", 0.0).doubleValue()));
        return String.join(", ", published);
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /// The memory of a command's process.
    private static String resident(String command) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .arguments()
                        .filter(all -> List.of(all).contains(command))
                        .isPresent())
                .map(process -> Path.of("/proc", Long.toString(process.pid()), "status"))
                .flatMap(file -> {
                    try {
                        return Files.readAllLines(file).stream();
                    } catch (IOException _) { // it has ended
                        return Stream.empty();
                    }
                })
                .filter(line -> line.startsWith("VmRSS") || line.startsWith("VmHWM"))
                .map(line -> line.replaceAll("\\s+", " "))
                .collect(Collectors.joining(", "));
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, "| " + format + " |", values));
    }
}
