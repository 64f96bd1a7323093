package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.Patience;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/// A real Chromium without a window, with a fresh profile.
final class Browser implements AutoCloseable {
    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /// Skips the test where there is no Chromium; where CI=true that is a failure.
    static Browser open(Path profile) {
        Optional<File> chromium = onPath("chromium", "chromium-browser", "google-chrome");
        Optional<File> chromedriver = onPath("chromedriver");
        boolean present = chromium.isPresent() && chromedriver.isPresent();
        String missing = "the page is looked at in Chromium: install chromium and chromium-driver";
        if ("true".equals(System.getenv("CI"))) {
            assertThat(present).as(missing).isTrue();
        }
        assumeTrue(present, missing);

        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.orElseThrow());
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        options.addArguments(
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--user-data-dir=" + profile);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.orElseThrow())
                .withTimeout(Patience.LIMIT)
                .build();
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.manage().timeouts().pageLoadTimeout(Patience.LIMIT).scriptTimeout(Patience.LIMIT);
        return new Browser(driver);
    }

    private static Optional<File> onPath(String... names) {
        return Arrays.stream(names)
                .flatMap(name -> Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .map(folder -> new File(folder, name)))
                .filter(File::canExecute)
                .findFirst();
    }

    void visit(String url) {
        driver.get(url);
    }

    void resize(int width, int height) {
        driver.manage().window().setSize(new Dimension(width, height));
    }

    /// `light` or `dark`, as the user's system asks for.
    void prefer(String colourScheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colourScheme))));
    }

    /// What a person sees of it; empty where there is nothing or it is hidden.
    String text(String selector) {
        return driver.findElements(By.cssSelector(selector)).stream()
                .filter(WebElement::isDisplayed)
                .findFirst()
                .map(WebElement::getText)
                .orElse("");
    }

    List<String> texts(String selector) {
        return driver.findElements(By.cssSelector(selector)).stream()
                .map(WebElement::getText)
                .toList();
    }

    WebElement find(String selector) {
        return driver.findElement(By.cssSelector(selector));
    }

    Object run(String script) {
        return driver.executeScript(script);
    }

    String address() {
        return driver.getCurrentUrl();
    }

    /// What the page's console said since the last call: errors of scripts, and what the content policy refused.
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .toList();
    }

    void screenshot(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
