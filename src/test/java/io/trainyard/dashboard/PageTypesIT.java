package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.impl.driver.Driver;
import io.trainyard.Patience;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page's bundler strips types without checking them. TypeScript's own compiler checks them here, run by
/// Playwright's Node.js. It finds Lit's types where the bundler has put them.
class PageTypesIT {
    private static final String TYPESCRIPT = "META-INF/resources/_static/typescript/5.9.3/lib/";

    @Test
    void thePagesTypesHold(@TempDir Path dir) throws Exception {
        URI compiler = Objects.requireNonNull(getClass().getClassLoader().getResource(TYPESCRIPT + "tsc.js"))
                .toURI();
        try (FileSystem jar = FileSystems.newFileSystem(compiler, Map.of());
                Stream<Path> files = Files.list(jar.getPath(TYPESCRIPT))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, dir.resolve(file.getFileName().toString()));
            }
            Files.copy(jar.getPath("META-INF/.more.tgz"), dir.resolve("more.tgz"));
        }
        // A second package has the types of the language and of browsers.
        assertThat(run("tar", "-xzf", dir.resolve("more.tgz").toString(), "-C", dir.toString()))
                .isEmpty();
        // The package's manifest says which kind of module it is.
        Files.writeString(dir.resolve("package.json"), "{\"type\": \"commonjs\"}");
        String node = Driver.ensureDriverInstalled(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"), false)
                .createProcessBuilder()
                .command()
                .getFirst();
        Path library;
        try (Stream<Path> files = Files.walk(dir)) {
            library = files.filter(file -> file.endsWith("lib.dom.d.ts"))
                    .findFirst()
                    .orElseThrow();
        }
        // The compiler looks for them next to itself.
        Path tsc = library.resolveSibling("tsc.js");
        for (String script : List.of("tsc.js", "_tsc.js")) {
            Files.move(dir.resolve(script), library.resolveSibling(script));
        }
        assertThat(run(node, tsc.toString(), "--pretty", "false", "--project", "src/main/resources/web/app"))
                .isEmpty();
    }

    /// @return the output
    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }
}
