package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import io.trainyard.Patience;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/// The system's Chromium, headless, driven by Playwright without a download.
final class Chromium implements AutoCloseable {
    private static final Set<String> BAD = Set.of("error", "warning");

    private final Playwright playwright;
    private final Browser browser;
    private final List<String> complaints = new CopyOnWriteArrayList<>();

    private Chromium(Playwright playwright, Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    /// Skips the test if there is no Chromium; fails it if CI=true.
    static Chromium open() {
        Optional<File> chromium = onPath("chromium", "chromium-browser", "google-chrome");
        String missing = "there is no Chromium on the PATH: install Debian's package chromium";
        if ("true".equals(System.getenv("CI"))) {
            assertThat(chromium).as(missing).isPresent();
        }
        assumeTrue(chromium.isPresent(), missing);
        PlaywrightAssertions.setDefaultAssertionTimeout(Patience.LIMIT.toMillis());
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        Browser browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(chromium.orElseThrow().toPath())
                        .setTimeout(Patience.LIMIT.toMillis())
                        .setArgs(List.of(
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-quic",
                                "--disable-dev-shm-usage",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync")));
        return new Chromium(playwright, browser);
    }

    private static Optional<File> onPath(String... names) {
        return Arrays.stream(names)
                .flatMap(name -> Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .map(folder -> new File(folder, name)))
                .filter(File::canExecute)
                .findFirst();
    }

    /// A page with its own profile. Its complaints are recorded.
    Page page(int width, int height, ColorScheme scheme) {
        BrowserContext context = browser.newContext(
                new Browser.NewContextOptions().setViewportSize(width, height).setColorScheme(scheme));
        context.setDefaultTimeout(Patience.LIMIT.toMillis());
        Page page = context.newPage();
        page.onConsoleMessage(this::receive);
        page.onPageError(complaints::add);
        return page;
    }

    private void receive(ConsoleMessage message) {
        boolean refusedCall = message.text().startsWith("Failed to load resource")
                && message.location().contains("/api/");
        if (BAD.contains(message.type()) && !refusedCall) {
            complaints.add(message.text() + " " + message.location());
        }
    }

    /// Script errors, content policy violations and warnings since the last call. Failed requests are excluded:
    /// the browser reports them, and the dashboard shows its own message.
    List<String> complaints() {
        List<String> received = List.copyOf(complaints);
        complaints.clear();
        return received;
    }

    /// Takes a screenshot if `-Dpage.pictures=true`.
    static void picture(Page page, Path file) {
        if (!Boolean.getBoolean("page.pictures")) {
            return;
        }
        var _ = page.screenshot(new Page.ScreenshotOptions().setPath(file).setFullPage(true));
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
