package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.evaluated;
import static io.trainyard.event.SampleEvents.evaluation;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.saved;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.WorkerStatus;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.TopicAdmin;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page in a real browser, with real events from a real broker. Leaves pictures in `target/page`.
class PageIT {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Path PICTURES = Path.of("target", "page");
    private static final CheckpointName SHAPES = new CheckpointName("shapes-3", 200L);
    private static final String HOSTILE = "<img src=x onerror=\"document.title='taken'\"><script>alert(1)</script>";

    @TempDir
    private Path dir;

    private Browser browser;
    private String prefix;
    private EventPublisher publisher;

    @BeforeEach
    void start() throws Exception {
        browser = Browser.open(dir.resolve("profile"));
        prefix = "page-%d.".formatted(NUMBER.incrementAndGet());
        TopicAdmin.createMissing(TestBroker.address(), prefix, Patience.LIMIT);
        publisher = new EventPublisher(TestBroker.address(), prefix);
    }

    @AfterEach
    void stop() {
        if (publisher != null) {
            publisher.close();
            browser.close();
        }
    }

    private TrainyardProcess dashboard(String port) {
        return TrainyardProcess.start(
                dir, "dashboard", "--kafka", TestBroker.address(), "--prefix", prefix, "--port", port);
    }

    private static ConditionFactory await(String what) {
        return Patience.await(what).ignoreExceptions();
    }

    private void see(String selector, String text) {
        await(text + " in " + selector)
                .untilAsserted(() -> assertThat(browser.text(selector)).contains(text));
    }

    private static String row(String job) {
        return "#jobs tr[data-key=\"" + job + "\"]";
    }

    private void heartbeats() throws Exception {
        publisher.send(
                new WorkerStatus("worker-1", "cpu", "fashion-7", 1, 6543.2, 812L << 20, false, null, null, null));
        publisher.send(new WorkerStatus("worker-2", "cpu", null, null, 0, 301L << 20, false, null, null, null));
    }

    @Test
    void showsAJobLive() throws Exception {
        try (var dashboard = dashboard("0")) {
            browser.resize(1360, 1900);
            browser.prefer("light");
            browser.visit(dashboard.await(DashboardIT.URL) + "/");
            see("#no-jobs", "No jobs yet: ./trainyard submit job.json");
            see("#no-workers", "./trainyard worker");
            see("#connection", "Live");
            browser.screenshot(PICTURES.resolve("empty.png"));
            browser.run("window.sameDocument = true");

            publisher.send(claimed("fashion-7", 1, "worker-1"));
            see(row("fashion-7"), "Running");
            publisher.send(
                    started(fashion("fashion-7", 5), 1, 1, 938, null), losses("fashion-7", 1, 0, 1, curve(1, 300)));
            see(row("fashion-7"), "300 / 4,690");
            see(row("fashion-7"), "Running");
            see("#detail-heading", "fashion-7");
            await("the chart").until(() -> drawnPixels("#loss-chart") > 500);
            long before = drawnPixels("#accuracy-chart");

            publisher.send(losses("fashion-7", 1, 0, 301, curve(301, 638)), tested("fashion-7", 1, 0, 938, 0.71));
            publisher.send(losses("fashion-7", 1, 1, 939, curve(939, 938)), tested("fashion-7", 1, 1, 1876, 0.79));
            publisher.send(losses("fashion-7", 1, 2, 1877, curve(1877, 938)), tested("fashion-7", 1, 2, 2814, 0.83));
            publisher.send(saved("fashion-7", 1, 2, 2814), losses("fashion-7", 1, 3, 2815, curve(2815, 412)));
            heartbeats();
            see(row("fashion-7"), "3,226 / 4,690");
            see(row("fashion-7"), "83.0 %");
            see("#facts", "file:/checkpoints/fashion-7/1/model-2814.safetensors");
            await("the chart").until(() -> drawnPixels("#accuracy-chart") > before);
            assertThat(browser.texts("#classes tr")).hasSize(10);
            assertThat(browser.texts("#confusion tr")).hasSize(11);
            see("#workers", "worker-1");

            publisher.send(
                    claimed("shapes-3", 1, "worker-2"),
                    started(fashion("shapes-3", 2), 1, 1, 100, null),
                    losses("shapes-3", 1, 0, 1, curve(1, 200)),
                    tested("shapes-3", 1, 1, 200, 0.912),
                    finished("shapes-3", 1, 200, "test accuracy 0.912 reached 0.9"),
                    started(evaluation("check", SHAPES), 1, 1, 0, SHAPES),
                    evaluated("check", 1, 200, 0.875),
                    finished("check", 1, 0),
                    claimed("hostile", 1, "worker-2"),
                    failed("hostile", 1, HOSTILE));
            publisher.send(evaluation("check-later", SHAPES));
            publisher.reject("mistyped", "{\"id\": ", "it is not JSON: it ends too early");
            see(row("shapes-3"), "Finished");
            see(row("hostile"), "Failed");
            see(row("check"), "tests shapes-3/200");
            see(row("check"), "87.5 %");
            see(row("mistyped"), "Rejected");
            see(row("check-later"), "Queued");
            see(row("check-later"), "tests shapes-3/200");
            see(row("check-later"), "fashion-mnist");
            heartbeats();
            browser.run("scrollTo(0, 0)");
            browser.screenshot(PICTURES.resolve("light.png"));
            browser.prefer("dark");
            await("the chart").until(() -> drawnPixels("#loss-chart") > 500);
            browser.screenshot(PICTURES.resolve("dark.png"));
            browser.resize(500, 3300);
            browser.screenshot(PICTURES.resolve("phone.png"));
            assertThat((Boolean) browser.run("return document.documentElement.scrollWidth <= innerWidth"))
                    .as("nothing sticks out of a narrow page")
                    .isTrue();
            browser.resize(1360, 1900);

            browser.find(row("hostile") + " a").click();
            see("#detail-heading", "hostile");
            see("#detail-reason", HOSTILE);
            assertThat(browser.address()).endsWith("#job/hostile");
            browser.screenshot(PICTURES.resolve("failed.png"));
            assertThat(browser.run("return document.querySelectorAll('main img, main script').length"))
                    .isEqualTo(0L);
            assertThat(browser.run("return window.sameDocument === true"))
                    .as("the page was never loaded anew")
                    .isEqualTo(true);
            assertThat(browser.complaints()).isEmpty();

            browser.visit("about:blank");
            browser.visit(dashboard.await(DashboardIT.URL) + "/#job/shapes-3");
            see("#detail-heading", "shapes-3");
            see("#detail-reason", "Stopped early: test accuracy 0.912 reached 0.9");
            see("#facts", "91.2 % (90.4–91.9)");
            see("#facts", "median 812 µs, p95 950 µs, p99 1,024 µs");
            browser.visit(dashboard.await(DashboardIT.URL) + "/#job/check");
            see("#detail-heading", "check");
            see("#facts", "shapes-3/200");
            see("#no-losses", "No losses.");
            await("the chart").until(() -> drawnPixels("#accuracy-chart") > 100);
            browser.screenshot(PICTURES.resolve("evaluation.png"));
            browser.visit(dashboard.await(DashboardIT.URL) + "/#job/mistyped");
            see("#detail-state", "Rejected");
            see("#detail-reason", "it is not JSON: it ends too early");
            see("#no-losses", "No losses.");
            browser.screenshot(PICTURES.resolve("rejected.png"));
            browser.visit(dashboard.await(DashboardIT.URL) + "/#job/check-later");
            see("#detail-state", "Queued");
            see("#facts", "shapes-3/200");
            see("#no-losses", "No losses yet.");
            browser.screenshot(PICTURES.resolve("queued.png"));
            publisher.send(
                    started(fashion("diverges", 5), 1, 1, 938, null),
                    losses("diverges", 1, 0, 1, new float[] {1e30f, 5e32f, 9.9e32f}));
            browser.visit(dashboard.await(DashboardIT.URL) + "/#job/diverges");
            see("#detail-heading", "diverges");
            await("the loss axis")
                    .untilAsserted(() -> assertThat(lossTicks())
                            .asInstanceOf(InstanceOfAssertFactories.LIST)
                            .contains("0", "2e+32", "4e+32", "6e+32", "8e+32"));
            assertThat(tick("0.30000000000000004")).isEqualTo("0.3");
            assertThat(tick("-2.4999999999999998e-7")).isEqualTo("-2.5e-7");
            assertThat(tick("12000")).isEqualTo("12,000");
            browser.visit(dashboard.await(DashboardIT.URL) + "/#job/no%20such");
            see("#detail-missing", "there is no job \"no such\" here");
        }
    }

    @Test
    void saysThatTheConnectionIsLostAndComesBack() throws Exception {
        String port;
        try (var socket = new ServerSocket(0)) {
            port = Integer.toString(socket.getLocalPort());
        }
        publisher.send(claimed("first", 1, "worker-1"));
        try (var dashboard = dashboard(port)) {
            browser.visit(dashboard.await(DashboardIT.URL) + "/");
            see(row("first"), "Running");
        }
        see("#connection", "Connection lost");
        publisher.send(claimed("second", 1, "worker-1"));
        try (var dashboard = dashboard(port)) {
            dashboard.await(DashboardIT.URL);
            see("#connection", "Live");
            see(row("second"), "Running");
            see(row("first"), "Running");
        }
    }

    private static JobSpec fashion(String job, int epochs) {
        return JobJson.read("""
                {"id": "%s", "network": "fashion", "dataset": "fashion-mnist", "epochs": %d, "batchSize": 64}""".formatted(job, epochs).getBytes(StandardCharsets.UTF_8));
    }

    /// Losses as those of a network that learns: what a picture of the page is made of.
    private static float[] curve(long firstStep, int steps) {
        float[] losses = new float[steps];
        for (int i = 0; i < steps; i++) {
            long step = firstStep + i;
            losses[i] = (float)
                    (0.3 + 2 * Math.exp(-step / 400.0) + 0.1 * Math.sin(step * 12.9898) * Math.cos(step * 78.233));
        }
        return losses;
    }

    /// What stands at the ticks of the chart of losses; it is drawn, and no text of the page.
    private Object lossTicks() {
        return browser.run("""
                return import('/_static/echarts/6.0.0/dist/echarts.esm.min.js').then((echarts) =>
                    echarts.getInstanceByDom(document.querySelector('#loss-chart'))
                        .getModel().getComponent('yAxis').axis.getViewLabels().map((label) => label.formattedLabel));""");
    }

    private Object tick(String number) {
        return browser.run("return import('/page/format.js').then((format) => format.tick(%s))".formatted(number));
    }

    /// Pixels of a chart's canvas in which something is drawn.
    private long drawnPixels(String chart) {
        return ((Number) browser.run("""
                const canvas = document.querySelector('%s canvas');
                if (!canvas) return 0;
                const copy = new OffscreenCanvas(canvas.width, canvas.height)
                    .getContext('2d', {willReadFrequently: true});
                copy.drawImage(canvas, 0, 0);
                const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
                let drawn = 0;
                for (let i = 3; i < data.length; i += 4) if (data[i] > 0) drawn++;
                return drawn;""".formatted(chart))).longValue();
    }
}
