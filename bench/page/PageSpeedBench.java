package io.trainyard.dashboard;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.started;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.trainyard.PackagedFleet;
import io.trainyard.Patience;
import io.trainyard.TrainyardProcess;
import io.trainyard.topics.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The frame rate of the dashboard while many runs grow, and the delay of a step. It prints figures and asserts none.
/// It uses helpers of the dashboard's tests and is compiled with them:
///
///     cp bench/page/*.java src/test/java/io/trainyard/dashboard/
///     ./mvnw verify -Dquick -Dsurefire.skip -Das.shipped=true -Dit.test=PageSpeedBench
class PageSpeedBench {
    private static final int RUNS = 100;
    private static final int BEFORE = 20_000;
    private static final int BLOCK = 20;
    private static final long PERIOD_MILLIS = 500;
    private static final int SECONDS = 15;
    private static final int VISITS = 8;

    /// Times of frames, and when each step of the first curve was first drawn.
    private static final String WATCH = """
            window.watched = { frames: [], seen: [] };
            const look = (now) => {
                const { frames, seen } = window.watched;
                frames.push(now);
                const curve = document.querySelector(".losses trainyard-chart")?.plot?.settings.series[0];
                const words = curve?.x.length ? curve.describe(curve.x.length - 1)[0] : "0"; // steps 1 to 20
                const step = Number(words.split(" ").at(-1).replaceAll(",", ""));
                if (step > (seen.at(-1)?.[0] ?? 0)) seen.push([step, Date.now()]);
                requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
            """;

    @TempDir
    private static Path dir;

    private static PackagedFleet fleet;
    private static TrainyardProcess dashboard;
    private static Chromium chromium;
    private static String url;
    private static final AtomicBoolean stopped = new AtomicBoolean();
    private static final Map<Long, Long> published = new ConcurrentHashMap<>();
    private static Thread fleetOfRuns;

    @BeforeAll
    static void start() throws Exception {
        chromium = Chromium.open();
        fleet = PackagedFleet.withBroker(dir);
        dashboard = fleet.start("dashboard", "--port", "0");
        url = dashboard.await(DashboardIT.URL) + "/";
        EventPublisher publisher = new EventPublisher(fleet.kafka(), Topic.DEFAULT_PREFIX);
        for (int run = 0; run < RUNS; run++) {
            String id = "run-" + run;
            publisher.send(claimed(id), started(spec(id), 1, 1, 1_000_000, null));
            publisher.send(losses(id, 1, 0, 1, curve(run, 1, BEFORE)));
        }
        fleetOfRuns = Thread.ofPlatform().start(() -> grow(publisher));
    }

    private static void grow(EventPublisher publisher) {
        try (publisher) {
            for (long step = BEFORE + 1; !stopped.get(); step += BLOCK) {
                long begin = System.nanoTime();
                published.put(step + BLOCK - 1, System.currentTimeMillis());
                for (int run = 0; run < RUNS; run++) {
                    publisher.send(losses("run-" + run, 1, 0, step, curve(run, step, BLOCK)));
                }
                Thread.sleep(Math.max(1, PERIOD_MILLIS - (System.nanoTime() - begin) / 1_000_000));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static float[] curve(int run, long firstStep, int steps) {
        Random random = new Random(run + firstStep);
        float[] losses = new float[steps];
        for (int i = 0; i < steps; i++) {
            losses[i] =
                    (float) (0.3 + run / 100.0 + 2 * Math.exp(-(firstStep + i) / 4000.0) + random.nextGaussian() / 10);
        }
        return losses;
    }

    @AfterAll
    static void stop() throws Exception {
        stopped.set(true);
        fleetOfRuns.join();
        dashboard.close();
        fleet.close();
        chromium.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20, RUNS})
    void framesWhileRunsGrow(int runs) {
        Page page = chromium.page(1360, 900, ColorScheme.LIGHT);
        String ids = IntStream.range(0, runs).mapToObj(run -> "run-" + run).collect(Collectors.joining(","));
        page.addInitScript(WATCH);
        page.navigate(url + (runs == 1 ? "#job/run-0" : "#compare?jobs=" + ids));
        Patience.await("all curves")
                .pollInSameThread()
                .until(() -> Boolean.TRUE.equals(page.evaluate(
                        "document.querySelector('.losses trainyard-chart')?.plot?.settings.series.length === "
                                + runs)));
        page.evaluate("window.watched.frames.length = 0; window.watched.seen.length = 0");
        page.waitForTimeout(SECONDS * 1000);
        @SuppressWarnings("unchecked")
        List<Double> frames = ((List<Number>) page.evaluate("window.watched.frames"))
                .stream().map(Number::doubleValue).toList();
        List<Double> gaps = new ArrayList<>();
        for (int i = 1; i < frames.size(); i++) {
            gaps.add(frames.get(i) - frames.get(i - 1));
        }
        gaps.sort(Double::compare);
        @SuppressWarnings("unchecked")
        List<List<Number>> seen = (List<List<Number>>) page.evaluate("window.watched.seen"); // step, milliseconds
        List<Double> late = published.entrySet().stream()
                .filter(block -> block.getValue() > seen.getFirst().get(1).longValue())
                .flatMap(block -> seen.stream()
                        .filter(drawn -> drawn.get(0).doubleValue() >= block.getKey())
                        .findFirst()
                        .map(drawn -> drawn.get(1).doubleValue() - block.getValue())
                        .stream())
                .sorted()
                .toList();
        assertThat(gaps).isNotEmpty();
        System.out.printf(
                Locale.ROOT,
                "| %d runs that grow by %d steps every %d ms | %.1f frames/s, of which %.1f %% took over 25 ms, the longest %.0f ms | told to drawn, ms: median %.0f, 99th percentile %.0f of %d |%n",
                runs,
                BLOCK,
                PERIOD_MILLIS,
                1000.0 * gaps.size() / (frames.getLast() - frames.getFirst()),
                100.0 * gaps.stream().filter(gap -> gap > 25).count() / gaps.size(),
                gaps.getLast(),
                percentile(late, 50),
                percentile(late, 99),
                late.size());
        page.context().close();
    }

    private static double percentile(List<Double> sorted, int percent) {
        return sorted.isEmpty() ? Double.NaN : sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }

    @Test
    void firstPaint() {
        List<Double> paints = new ArrayList<>();
        for (int visit = 0; visit < VISITS; visit++) {
            Page page = chromium.page(1360, 900, ColorScheme.LIGHT);
            page.navigate(url);
            page.waitForTimeout(1000);
            paints.add(((Number) page.evaluate(
                            "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"))
                    .doubleValue());
            page.context().close();
        }
        paints.sort(Double::compare);
        assertThat(paints).hasSize(VISITS);
        System.out.printf(
                Locale.ROOT,
                "| first contentful paint, ms, of %d visits | median %.0f, longest %.0f |%n",
                VISITS,
                percentile(paints, 50),
                paints.getLast());
    }
}
