package io.trainyard.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.trainyard.PackagedFleet;
import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.topics.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// The page in a real browser, with a fleet: a broker, a worker and a dashboard in separate processes. After
/// each test the browser must have no complaints.
abstract class TestedPage {
    @TempDir
    static Path dir;

    static PackagedFleet fleet;
    static TrainyardProcess dashboard;
    static EventPublisher publisher;
    private static Chromium chromium;
    static String url;
    private static Path projects;

    Page page;

    @BeforeAll
    static void start() throws Exception {
        chromium = Chromium.open();
        fleet = PackagedFleet.withBroker(dir);
        fleet.startWorker("w1");
        projects = Files.writeString(dir.resolve("projects.yaml"), """
                projects:
                  vision: {weight: 3, running: 8, waiting: 1000}
                  speech: {weight: 1.5, running: 0}""");
        dashboard = startDashboard("0");
        url = dashboard.await(DashboardIT.URL) + "/";
        fleet.awaitMembers();
        publisher = new EventPublisher(fleet.kafka(), Topic.DEFAULT_PREFIX);
        PublishedJobs.publish(fleet, publisher);
    }

    static TrainyardProcess startDashboard(String port) throws Exception {
        return fleet.start("dashboard", "--port", port, "--projects", projects.toString());
    }

    @AfterAll
    static void stop() {
        if (publisher != null) {
            publisher.close();
        }
        if (fleet != null) {
            dashboard.close();
            fleet.close();
        }
        if (chromium != null) {
            chromium.close();
        }
    }

    @BeforeEach
    void open() {
        page = chromium.page(1360, 1000, ColorScheme.LIGHT);
    }

    @AfterEach
    void nothingWasComplainedOf() {
        page.context().close();
        assertThat(chromium.complaints()).isEmpty();
    }

    final void visit(String hash) {
        page.navigate(url + hash);
    }

    final void visit(String hash, int width, int height, ColorScheme scheme) {
        page.context().close();
        page = chromium.page(width, height, scheme);
        visit(hash);
    }

    final Locator see(String selector) {
        return page.locator(selector).first();
    }

    /// Waits for the last element of a view.
    final void seeAll(String view) {
        assertThat(see("h2")).isVisible();
        if (view.equals("#fleet")) {
            assertThat(see("#device-hours")).isVisible();
            assertThat(see("#projects")).isVisible();
        }
    }

    static String row(String job) {
        return "#jobs tr[data-key=\"" + job + "\"]";
    }

    /// Waits until the drawn curve reaches this step.
    final long awaitStep(long step) {
        Patience.await("step " + step).pollInSameThread().until(() -> lastStep() >= step);
        return lastStep();
    }

    /// The last step of the drawn curve; 0 if none is drawn.
    private long lastStep() {
        return ((Number) page.evaluate("document.querySelector('.losses trainyard-chart')?.series[0]?.x?.at(-1) ?? 0"))
                .longValue();
    }

    /// Waits in Java. Playwright would evaluate text as a script, which the page's policy forbids.
    final void awaitTrue(String expression) {
        Patience.await(expression).pollInSameThread().until(() -> Boolean.TRUE.equals(page.evaluate(expression)));
    }
}
