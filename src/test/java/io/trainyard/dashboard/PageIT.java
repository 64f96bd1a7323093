package io.trainyard.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.trainyard.Patience;
import io.trainyard.Smoke;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatus.Fetching;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.topics.Topic;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The content and behaviour of the dashboard's page. `-Dpage.pictures=true` writes screenshots to
/// `target/page`.
@TestMethodOrder(OrderAnnotation.class)
class PageIT extends TestedPage {
    private static final String DOES = "93 % busy, 12.0 GiB of 80.0 GiB, 252 W, 61 °C";
    private static final Path PICTURES = Path.of("target", "page");
    private static final int LAST = Integer.MAX_VALUE;

    /// The limit for the page's scripts and styles together, compressed.
    private static final int MOST_BYTES = 350_000;

    private static final Pattern BUNDLED = Pattern.compile("\"(/static/bundle/[^\"]+)\"");

    @Smoke
    @Test
    @Order(1)
    void aSubmittedJobUpdatesLiveUntilItIsCancelled() {
        visit("#runs");
        page.getByText("New job").click();
        see("#new-job input[name=epochs]").fill("many");
        see("#new-job button.primary").click();
        assertThat(see("#submit-problem")).containsText("epochs");
        see("#new-job input[name=id]").fill("grows");
        see("#new-job input[name=epochs]").fill("100000");
        see("#new-job button.primary").click();

        assertThat(see("#detail-heading")).hasText("grows");
        assertThat(see("#detail-state")).hasText("Running");
        page.evaluate("window.sameDocument = true");
        long seen = awaitStep(1);
        awaitStep(seen + 200);
        assertThat(see("#device-use figcaption")).containsText("Utilization");
        assertThat(see("#time-left")).containsText("left");
        assertThat(see("#classes tr")).isVisible();
        assertThat(page.evaluate("window.sameDocument"))
                .as("the page was never reloaded")
                .isEqualTo(true);

        see("#cancel").click();
        see("#cancel-sure").click();
        assertThat(see("#detail-state")).hasText("Cancelled");
    }

    @Test
    void theFormAndTheJsonOfANewJobChangeEachOther() {
        visit("#runs");
        page.getByText("New job").click();
        see("#new-job select[name='optimizer.type']").selectOption("sgd");
        see("#new-job input[name='optimizer.learningRate']").fill("0.05");
        see("#new-job input[name='optimizer.learningRate']").press("Tab");
        assertThat(see("#new-job textarea")).hasValue(Pattern.compile("\"learningRate\": 0.05"));
        assertThat(see("#checked")).hasText("Valid: 1 run");
        see("#new-job textarea")
                .fill("{\"id\": \"a\", \"network\": \"lenet\", \"dataset\": \"shapes32\", \"epochs\": 3}");
        assertThat(see("#new-job input[name=epochs]")).hasValue("3");
        assertThat(see("#new-job select[name=network]")).hasValue("lenet");
        assertThat(see("#new-job input[name='optimizer.learningRate']"))
                .hasAttribute("placeholder", Pattern.compile("default .*"));
        see("#new-job textarea").fill("{");
        assertThat(see("#submit-problem")).containsText("not a job as JSON");
    }

    @Test
    void jobsInEveryStateAreListedAndFiltered() {
        visit("#runs");
        assertThat(see(row("waits") + " .state")).hasText("Queued");
        assertThat(see(row("mistyped") + " .state")).hasText("Rejected");
        assertThat(see(row("moved") + " .state")).hasText("Running");
        assertThat(see(row("hostile") + " .state")).hasText("Failed");
        assertThat(see(row("done"))).containsText("91.2 %");
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Queued"))
                .click();
        assertThat(see(row("moved"))).isHidden();
        assertThat(see(row("waits"))).isVisible();
        assertThat(page).hasURL(Pattern.compile("#runs\\?state=queued$"));
        see("#search").fill("no such");
        assertThat(see("#no-runs")).hasText("No run fits.");
        Chromium.picture(page, PICTURES.resolve("no-run.png"));
    }

    @Test
    void runsAreFilteredAndSortedByFieldsAndViewsAreSaved() {
        visit("#runs?text=rates.&sort=optimizer.learningRate&order=asc");
        Locator rates = page.locator("#jobs [data-label=learningRate]");
        assertThat(rates.first()).hasText("0.0005");
        assertThat(rates.last()).hasText("1");
        see("#where").fill("optimizer.learningRate >");
        see("#where").press("Enter");
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("allowed is a field");
        see("#where").fill("optimizer.learningRate > 0.01 and bestTestAccuracy > 0.8");
        see("#where").press("Enter");
        assertThat(see("#total")).hasText("6 runs");
        assertThat(see(row("rates.09-lr0.1-m0-bs128") + " [data-label='Best accuracy']"))
                .hasText("88.4 %");

        see("#columns summary").click();
        page.getByLabel("optimizer.momentum", new Page.GetByLabelOptions().setExact(true))
                .check();
        page.getByLabel("Loss", new Page.GetByLabelOptions().setExact(true)).uncheck();
        assertThat(see("#jobs thead")).containsText("momentum");
        assertThat(page.locator("#jobs [data-label=Loss]")).hasCount(0);
        see("#save-view").click();
        see("#view-name").fill("good <b>rates</b>");
        see("#view-name").press("Enter");
        visit("#runs");
        assertThat(see(row("done"))).isVisible();
        see("#views").selectOption("good <b>rates</b>");
        assertThat(see("#total")).hasText("6 runs");
        assertThat(see("#jobs thead")).containsText("momentum");
        page.getByText("Delete view").click();
        assertThat(page.locator("#views")).hasCount(0);
    }

    @Test
    void textsAreNotInterpretedAsMarkup() {
        visit("#job/hostile");
        assertThat(see("#detail-reason")).containsText(PublishedJobs.HOSTILE);
        assertThat(page.locator("main img, main script")).hasCount(0);
    }

    @Test
    void showsTheHistoryOfARun() {
        visit("#job/done");
        assertThat(see("#detail-reason")).hasText("Stopped early: test accuracy 0.912 reached 0.9");
        assertThat(see("#facts")).containsText("91.2 % (90.4–91.9)");
        assertThat(see("#facts")).containsText("Started");
        assertThat(see("#facts")).containsText("cuda:0: NVIDIA H100 80GB HBM3");
        assertThat(see("#facts")).containsText("GFLOP/s");
        assertThat(see("#facts")).containsText("0.012 %"); // of 67 TFLOP/s
        assertThat(page.locator("#times tr")).hasCount(2);
        assertThat(page.locator("#time-legend li")).hasCount(5);
        assertThat(see("#time-legend")).containsText("Making batches 6.5 %");
        assertThat(see("#times [role=img]"))
                .hasAttribute(
                        "aria-label",
                        "Rest of the steps 7.9 s, Making batches 640 ms, Test 800 ms, Checkpoints 310 ms, Other 190 ms");
        assertThat(see("figcaption:has-text(\"Test loss\")")).isVisible();
        assertThat(page.locator(".losses .legend li")).hasText(new String[] {"training loss", "test loss"});
        awaitTrue("document.querySelector('.losses trainyard-chart').marks.some(mark => mark.best && mark.x === 200)");
        assertThat(see("#hyperparameters")).containsText("batchSize");
        assertThat(page.locator("#classes tr")).hasCount(10);
        assertThat(page.locator("#confusion tbody tr")).hasCount(10);
        assertThat(page.locator("#class-metrics tbody tr")).hasCount(10);
        assertThat(see("#classes")).containsText("ankle boot");
        visit("#job/moved");
        assertThat(page.locator("#attempts li")).hasCount(2);
        assertThat(see("#attempts")).containsText("w8");
        visit("#nothing/here");
        assertThat(see("#unknown")).containsText("There is no such page");
        visit("#job/no%20such");
        assertThat(see("#detail-missing")).containsText("there is no job \"no such\" here");
    }

    @Test
    void nonFiniteLossesAreMarked() {
        visit("#job/diverges");
        assertThat(see(".losses .note")).containsText("NaN or infinite, the first from step 412 on");
        assertThat((Integer)
                        page.evaluate("document.querySelector('.losses trainyard-chart').series[0].notFinite.length"))
                .isPositive();
    }

    /// Beyond twice the number of points to draw, neighbours are merged, but no loss disappears.
    @Test
    void aLongCurveIsThinnedAndKeepsEverySpike() throws Exception {
        int block = 500;
        int spike = 2 * block + 7;
        publisher.send(claimed("grown", 1, "w9"), started(PublishedJobs.fashion("grown", 5), 1, 1, 10_000, null));
        visit("#job/grown?smooth=0");
        for (int step = 1; step < 20 * block; step += block) {
            float[] losses = new float[block];
            for (int i = 0; i < block; i++) {
                losses[i] = step + i == spike ? 99_999 : step + i;
            }
            publisher.send(losses("grown", 1, 0, step, losses));
            awaitStep(step + block / 2); // the last point's centre is at least there
        }
        String series = "document.querySelector('.losses trainyard-chart').series[0]";
        assertThat((Integer) page.evaluate(series + ".x.length")).isBetween(200, 2_000);
        assertThat((Integer) page.evaluate(series + ".envelope.high.indexOf(99999)"))
                .isPositive();
        // Each loss is the number of its step, so the mean of merged losses is the mean of their steps.
        assertThat((Integer) page.evaluate(
                        "(({ x, y }) => x.filter((step, i) => Math.abs(step - y[i]) > 0.01).length)(" + series + ")"))
                .isEqualTo(1);
        assertThat(page.evaluate("((series) => { let next = 1; for (let i = 0; i < series.x.length; i++) {"
                        + " const [first, last] = series.describe(i)[0].replaceAll(',', '').match(/\\d+/g).map(Number);"
                        + " if (first !== next) return first; next = (last ?? first) + 1; } return next; })(" + series
                        + ")"))
                .as("the step after the last of those that follow one another without a gap")
                .isEqualTo(20 * block + 1);
    }

    @Test
    void aDraggedRangeIsFetchedInMoreDetailAndStaysInTheLink() {
        visit("#job/moved?smooth=0");
        awaitStep(2000);
        see(".losses .plot").scrollIntoViewIfNeeded();
        var box = see(".losses .plot").boundingBox();
        double y = box.y + box.height / 2;
        page.mouse().move(box.x + box.width * 0.4, y);
        page.mouse().down();
        page.mouse().move(box.x + box.width * 0.6, y);
        page.mouse().up();
        assertThat(page).hasURL(Pattern.compile("zoom="));
        awaitTrue("document.querySelector('.losses trainyard-chart')?.series[0]?.x?.at(-1) < 1600");
        page.reload();
        awaitTrue("document.querySelector('.losses trainyard-chart')?.series[0]?.x?.at(-1) < 1600");
        page.getByText("Show all").click();
        awaitStep(2000);
        see(".losses .plot").focus();
        page.keyboard().press("ArrowRight");
        page.keyboard().press("ArrowRight");
        assertThat(see(".losses .tooltip")).containsText("loss ");
        for (String axis : List.of("epoch", "relative", "wall")) {
            see(".losses select").selectOption(axis);
            assertThat(see(".losses trainyard-chart")).isVisible();
        }
    }

    @Test
    void aCurveIsSavedAsATable() throws Exception {
        visit("#job/done");
        awaitStep(200);
        Download download = page.waitForDownload(() -> page.getByText("CSV").click());
        assertThat(Files.readAllLines(download.path()))
                .startsWith("job,first_step,last_step,min,mean,max,time,not_finite")
                .hasSize(201)
                .element(1)
                .asString()
                .startsWith("done,1,1,");
    }

    @Test
    void runsAreSelectedAndCompared() throws Exception {
        for (String values : List.of("\"done\", \"step\": 1", "\"moved\", \"step\": 1", "\"done\", \"step\": 2")) {
            publisher.sendText(Topic.METRICS, "{\"job\": %s, \"values\": {\"val/f1\": 0.25}}".formatted(values));
        }
        visit("#job/done");
        assertThat(see("#user-metrics figcaption")).hasText("val/f1 last 0.25 at step 2");
        visit("#runs");
        see(row("done") + " input").check();
        see(row("moved") + " input").check();
        page.getByText("Compare 2").click();
        assertThat(see("#compare-heading")).hasText("2 runs compared");
        assertThat(page.locator("#results tbody tr")).hasCount(2);
        assertThat(see("#differences")).containsText("epochs");
        awaitTrue("document.querySelector('.losses trainyard-chart')?.series.every(series => series.x.length > 0)");
        assertThat(see("#significance")).containsText("differ significantly");
        assertThat(page.locator("#refused")).hasCount(0);
        awaitTrue("document.querySelector('#user-metrics trainyard-chart')?.series.length === 2");
        Chromium.picture(page, PICTURES.resolve("compare.png"));
        visit("#compare?jobs=done,moved,other-data");
        assertThat(see("#refused"))
                .hasText(Pattern.compile("Differences are tested only .* done, moved with dataset.* fashion-mnist .*;"
                        + " other-data with dataset.* shapes28 .*"));
        assertThat(page.locator("#significance")).not().containsText("other-data");
    }

    @Test
    void bulkActionsShowAnAnswerPerJob() {
        visit("#runs");
        see(row("done") + " input").check();
        see(row("diverges") + " input").check();
        see("#selection [data-action=cancel]").click();
        page.getByText("Yes, cancel 2 runs").click();
        assertThat(see("#bulk-said"))
                .hasText(
                        "Asked of 0 runs. done is finished already; nothing to cancel diverges is failed already; nothing to cancel");
    }

    @Test
    void aSweepShowsItsBestTrialsAndTheirParameters() {
        visit("#sweep/rates");
        assertThat(see("#sweep-best")).containsText("rates.09-lr0.1-m0-bs128");
        assertThat(see("#sweep-states")).containsText("24 trials");
        assertThat(page.locator("#trials tbody tr")).hasCount(24);
        assertThat(see("#trials thead")).containsText("learningRate");
        assertThat(page.locator("#parallel-coordinates [data-job]")).hasCount(24);
        see("#trials tbody tr:nth-child(3)").hover();
        assertThat(page.locator("#parallel-coordinates .hovered")).hasCount(1);
        Chromium.picture(page, PICTURES.resolve("sweep.png"));
        assertThat(see("#sweep [data-action=pause]")).isVisible();
        see("#trials tbody tr:first-child a").click();
        assertThat(see("#detail-heading")).isVisible();
        see("#sweep-link").click();
        assertThat(see("#sweep-heading")).hasText("rates");
    }

    @Test
    void aSweepShowsCurvesAndImportanceAndSelectsByRanges() {
        visit("#job/rates");
        assertThat(see("#detail-state")).hasText("Expanded");
        assertThat(see("#sweep-states")).containsText("24 trials");
        awaitTrue("document.querySelector('.losses trainyard-chart')?.series.length === 8");
        assertThat(see("#sweep-curves")).containsText("Curves of the best 8 of 24 tested trials");
        assertThat(page.locator("#importance tr")).hasCount(3);
        assertThat(see("#importance tr")).containsText("optimizer.learningRate");
        assertThat(see("#importance")).containsText("Analysis of variance");

        assertThat(see("[data-axis='optimizer.learningRate'] .title")).containsText("learningRate (log)");
        assertThat(page.locator("[data-axis='optimizer.learningRate'] .mark"))
                .hasText(new String[] {"0.0005", "1", "0.01", "0.1"});
        Locator axis = see("[data-axis='optimizer.learningRate'] .grip");
        axis.scrollIntoViewIfNeeded();
        var box = axis.boundingBox();
        double x = box.x + box.width / 2;
        page.mouse().move(x, box.y + box.height * 0.8);
        page.mouse().down();
        page.mouse().move(x, box.y + box.height - 1);
        page.mouse().up();
        assertThat(see("#chosen")).containsText("6 of 24 trials");
        assertThat(page.locator("#trials tbody tr")).hasCount(6);
        assertThat(page.locator("#parallel-coordinates .faded")).hasCount(18);
        assertThat(page).hasURL(Pattern.compile("#job/rates$"));
        see("#chosen button").click();

        see("#ranges summary").click();
        page.getByLabel("learningRate from").fill("0.05");
        page.getByLabel("learningRate from").press("Enter");
        assertThat(page.locator("#trials tbody tr")).hasCount(12);
        Locator byRate = page.locator("#trials .sort", new Page.LocatorOptions().setHasText("learningRate"));
        see("#chosen button").click();
        byRate.click();
        assertThat(see("#trials tbody tr")).containsText("0.0005");
        byRate.click();
        assertThat(see("#trials tbody tr")).containsText("rates.01-");
        assertThat(page.locator("th[aria-sort=descending]")).hasText("learningRate");
        visit("#sweep/later");
        assertThat(see("#sweep-waits")).containsText("is not expanded yet");
    }

    /// There may be a thousand trials: the hovered one is drawn above the other lines, and a trial's record
    /// updates its row only.
    @Test
    void aSweepRedrawsOnlyChangedTrials() throws Exception {
        visit("#sweep/rates");
        Locator row = page.locator("#trials tr", new Page.LocatorOptions().setHasText("rates.05-"));
        assertThat(row).containsText("2 / 4");
        page.evaluate("""
                window.touched = [];
                const name = (node) => (node instanceof Element ? node : node.parentElement)?.closest("tr, path[data-job]")?.textContent ?? "a line";
                const look = (changes) => changes.forEach(({ target }) => window.touched.push(name(target)));
                const observer = new MutationObserver(look);
                const all = { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["d", "class", "data-job"] };
                observer.observe(document.querySelector("#trials tbody"), all);
                document.querySelectorAll("path[data-job]").forEach((line) => observer.observe(line, all));""");
        publisher.send(tested("rates.05-lr1-m0.9-bs64", 1, 2, 2814, 0.1));
        assertThat(row).containsText("3 / 4");
        assertThat((List<?>) page.evaluate("window.touched"))
                .isNotEmpty()
                .allSatisfy(touched -> assertThat((String) touched).contains("rates.05-"));
        page.evaluate("window.touched.length = 0");
        row.hover();
        assertThat(page.locator("#parallel-coordinates .hovered")).hasCount(1);
        assertThat((List<?>) page.evaluate("window.touched")).as("lines").isEmpty();

        see("#parallel-coordinates").scrollIntoViewIfNeeded();
        List<?> onTheBest = (List<?>) page.evaluate("""
                () => {
                    const line = document.querySelector("path.best");
                    const at = line.getPointAtLength(line.getTotalLength() * 0.9).matrixTransform(line.getScreenCTM());
                    return [at.x, at.y];
                }""");
        page.mouse().move(((Number) onTheBest.get(0)).doubleValue(), ((Number) onTheBest.get(1)).doubleValue());
        assertThat(see("#trials tr[data-chosen]")).containsText("rates.09-");
        page.mouse().down();
        page.mouse().up();
        assertThat(page).hasURL(Pattern.compile("job/rates.09-"));
    }

    @Test
    void projectsShowQuotasAndUsageAndLinkToTheirRuns() {
        visit("#fleet");
        assertThat(see("#projects tr[data-key=vision]")).containsText("1 of 8");
        assertThat(page.locator("#projects tbody tr td.id")).hasText(new String[] {"default", "speech", "vision"});
        assertThat(see("#projects tr[data-key=speech]")).containsText("0 of 0");
        see("#projects tr[data-key=vision]").scrollIntoViewIfNeeded();
        Chromium.picture(page, PICTURES.resolve("projects.png"));
        see("#projects tr[data-key=vision] a").click();
        assertThat(page).hasURL(Pattern.compile("#runs\\?project=vision$"));
        assertThat(page.locator("#jobs tbody tr")).hasCount(1);
        assertThat(see(row("seen") + " [data-label=Project]")).hasText("vision");
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("project vision"))
                .click();
        assertThat(see(row("done"))).isVisible();
        assertThat(see(row("heard") + " [data-label=Project]")).hasText("speech");
        Chromium.picture(page, PICTURES.resolve("runs-of-projects.png"));
    }

    @Test
    void runsAreGroupedByAField() {
        visit("#runs");
        see("#by").selectOption("optimizer.type");
        assertThat(see("#groups tr[data-group=sgd]")).containsText("2 queued");
        assertThat(page).hasURL(Pattern.compile("by=optimizer.type"));
        see("#by").selectOption("optimizer.learningRate");
        assertThat(page.locator("#groups tbody th"))
                .hasText(new String[] {"0.0005", "0.001", "0.01", "0.1", "1", "none"});
        visit("#runs?by=network&state=finished");
        assertThat(see("#groups tr[data-group=fashion]")).containsText("91.2 %");
        awaitTrue("document.querySelector('#groups trainyard-chart')?.series[0]?.x.length > 0");
        Chromium.picture(page, PICTURES.resolve("groups.png"));
    }

    @Test
    void aPhoneShowsATappedRunInPlace() {
        visit("#runs", 360, 780, ColorScheme.DARK);
        see(row("done") + " td.id a").click();
        assertThat(see("#detail-heading")).isInViewport();
        assertThat(see("#detail-state")).isInViewport();
        awaitStep(200);
        Chromium.picture(page, PICTURES.resolve("phone.png"));
        for (String view : List.of("#fleet", "#runs", "#sweep/rates", "#job/moved", "#compare?jobs=done,moved")) {
            page.navigate(url + view);
            seeAll(view);
            assertThat((Boolean) page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                    .as("nothing sticks out of %s: %s", view, page.evaluate("""
                            [...document.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest('svg'))
                                .map(e => e.tagName + '.' + e.id + '.' + e.getAttribute('class') + ' ' + e.getBoundingClientRect().right).slice(0, 12)"""))
                    .isTrue();
        }
        visit("#fleet", 360, 780, ColorScheme.LIGHT);
        see("#projects").scrollIntoViewIfNeeded();
        Chromium.picture(page, PICTURES.resolve("phone-projects.png"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#fleet",
                "#runs",
                "#sweep/rates",
                "#job/moved",
                "#job/diverges",
                "#compare?jobs=done,moved",
                "#runs?by=network"
            })
    void viewsAreAccessible(String view) {
        visit(view);
        seeAll(view);
        if (view.contains("job")) {
            awaitTrue("document.querySelector('.losses trainyard-chart') !== null");
        }
        for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
            List<Rule> serious = new AxeBuilder(page)
                    .setLegacyMode(true).analyze().getViolations().stream()
                            .filter(rule -> List.of("serious", "critical").contains(rule.getImpact()))
                            .toList();
            assertThat(serious).as("%s in %s", view, scheme).isEmpty();
            Chromium.picture(page, PICTURES.resolve(view.replaceAll("\\W+", "-") + scheme + ".png"));
        }
    }

    @Test
    void theBundleIsSmall() throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            String html = new String(get(http, ""), StandardCharsets.UTF_8);
            List<String> bundled =
                    BUNDLED.matcher(html).results().map(match -> match.group(1)).toList();
            assertThat(bundled).hasSizeGreaterThanOrEqualTo(2);
            ByteArrayOutputStream compressed = new ByteArrayOutputStream();
            for (String path : bundled) {
                try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
                    gzip.write(get(http, path.substring(1)));
                }
            }
            assertThat(compressed.size()).isBetween(10_000, MOST_BYTES);
        }
    }

    private static byte[] get(HttpClient http, String path) throws Exception {
        return http.send(HttpRequest.newBuilder(URI.create(url + path)).build(), BodyHandlers.ofByteArray())
                .body();
    }

    /// The store cannot be written while another process locks it.
    @Test
    @Order(LAST - 1)
    void showsTheLagOfTheDashboard() throws Exception {
        visit("#job/moved");
        awaitStep(2000);
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + dir.resolve("tracking.db"));
                Statement statement = other.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 60000");
            statement.execute("BEGIN IMMEDIATE");
            publisher.send(losses("moved", 2, 2, 2289, PublishedJobs.curve(2289, 100)));
            assertThat(see("#connection")).containsText("s behind");
            assertThat(see("#not-live")).containsText("behind the fleet and catching up");
            Chromium.picture(page, PICTURES.resolve("behind.png"));
            statement.execute("ROLLBACK");
        }
        assertThat(see("#connection")).hasText("Live");
        awaitStep(2380);
    }

    /// If a worker can take the job, the page shows and updates the expected start.
    @Test
    @Order(LAST - 1)
    void aWaitingJobShowsItsPlaceAndExpectedStart() {
        WorkerStatus busy = WorkerStatusBuilder.of("w7", "cuda:0")
                .job("other", 1)
                .memoryBytes(1 << 28)
                .build();
        visit("#job/waits");
        Patience.await("when it begins") // keeps the worker alive with heartbeats
                .pollInSameThread()
                .until(() -> {
                    publisher.send(busy);
                    String reason = page.locator("#detail-reason").innerText();
                    return reason.contains("Place 1; begins in ") && reason.contains("Waits: the one worker is busy");
                });
        Chromium.picture(page, PICTURES.resolve("waits.png"));
        visit("#runs?state=queued");
        Patience.await("the same in the list").pollInSameThread().until(() -> {
            publisher.send(busy);
            return page.locator(row("waits")).innerText().contains("place 1, in ");
        });
        Chromium.picture(page, PICTURES.resolve("waiting-runs.png"));
    }

    /// Without the broker the state of the fleet is unknown, and the page says so.
    @Test
    @Order(LAST)
    void showsLostConnectionsAndRecovers() throws Exception {
        WorkerStatus refusing = WorkerStatusBuilder.of("w9", "cuda:0")
                .memoryBytes(3L << 30)
                .problem("3 jobs broke off here")
                .version("0.0.9")
                .readings(List.of(new WorkerStatus.Reading("cuda:0", 0.93, 12L << 30, 80L << 30, 251.5, 5e9, 61.0)))
                .build();
        publisher.send(refusing);
        Fetching fetching = new Fetching("letters", 70 << 20, 1 << 30);
        publisher.send(WorkerStatusBuilder.of("w8", "cpu")
                .job("next", 1)
                .memoryBytes(1 << 28)
                .fetching(fetching)
                .build());
        visit("#fleet");
        assertThat(see("#connection")).hasText("Live");
        assertThat(see("#workers tr[data-key=w1] .state")).hasText("Idle");
        assertThat(see("#workers tr[data-key=w9]")).containsText("3 jobs broke off here");
        assertThat(see("#workers tr[data-key=w9] td.id")).containsText("Trainyard 0.0.9");
        Patience.await("what a GPU does") // keeps the worker alive with heartbeats
                .pollInSameThread()
                .until(() -> {
                    publisher.send(refusing);
                    return page.locator("#workers tr[data-key=w9]").innerText().contains(DOES);
                });
        assertThat(see("#workers tr[data-key=w8]")).containsText("fetches letters: 70 MiB of 1.0 GiB");
        assertThat(page.locator("#device-hours .tiles li"))
                .hasText(new Pattern[] {Pattern.compile("Today\\s*(<|0)"), Pattern.compile("7 days\\s*(<|0)")});
        assertThat(page.locator("#device-hours .days li")).hasCount(7);
        fleet.broker().kill();
        assertThat(see("#connection")).hasText("Kafka away");
        assertThat(see("#not-live")).containsText("as of then");
        assertThat(see("#workers tr[data-key=w1] .state")).hasText("Not known");
        Chromium.picture(page, PICTURES.resolve("kafka-away.png"));
        fleet.restartBroker();
        assertThat(see("#connection")).hasText("Live");
        assertThat(see("#workers tr[data-key=w1] .state")).hasText("Idle");

        visit("#job/moved");
        awaitStep(2000);
        dashboard.kill();
        assertThat(see("#connection")).hasText("Connection lost");
        dashboard = startDashboard(Integer.toString(URI.create(url).getPort()));
        var _ = dashboard.await(DashboardIT.URL);
        publisher.send(losses("moved", 2, 2, 2389, PublishedJobs.curve(2389, 100)));
        assertThat(see("#connection")).hasText("Live");
        awaitStep(2480); // without a reload
    }
}
