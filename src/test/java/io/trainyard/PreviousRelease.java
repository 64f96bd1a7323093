package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The previous release: the built folder in `-Dprevious.release`, or the newest tag `v...` before this commit,
/// built once into `target/previous`. Before the first tag there is none.
final class PreviousRelease {
    private static final Path FOLDER = Path.of("target", "previous");
    private static final int BUILD_MINUTES = 20;

    private PreviousRelease() {}

    /// Its launcher; empty if there is no previous release.
    static Optional<Path> launcher() throws Exception {
        String folder = System.getProperty("previous.release", "");
        if (!folder.isEmpty()) {
            return Optional.of(Path.of(folder, "trainyard").toAbsolutePath());
        }
        Optional<String> tag = tag();
        return tag.isPresent() ? Optional.of(built(tag.get())) : Optional.empty();
    }

    private static Optional<String> tag() throws Exception {
        Process git = new ProcessBuilder("git", "describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String tag = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return Patience.exitStatus(git) == 0 ? Optional.of(tag) : Optional.empty(); // no tag, or no history
    }

    private static Path built(String tag) throws IOException, InterruptedException {
        Path folder = FOLDER.resolve(tag);
        Path launcher = folder.resolve("trainyard").toAbsolutePath();
        if (!Files.exists(launcher)) {
            Files.createDirectories(folder);
            run(List.of("bash", "-c", "git archive '%s' | tar --extract --directory '%s'".formatted(tag, folder)));
        }
        run(List.of(launcher.toString(), "--version")); // builds it if necessary
        return launcher;
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().remove("TRAINYARD_BUILT"); // it says that this version is built
        Process process = builder.start();
        assertThat(process.waitFor(BUILD_MINUTES, TimeUnit.MINUTES))
                .as("%s ends", command)
                .isTrue();
        assertThat(process.exitValue()).as(command.toString()).isZero();
    }
}
