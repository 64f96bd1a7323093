package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Programs of the machine that tests need.
public final class Programs {
    private Programs() {}

    /// Skips the test if the program is missing; fails it if CI=true.
    ///
    /// @param debian the Debian package with the program
    public static Path find(String name, String debian) {
        return required(
                Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .map(folder -> Path.of(folder, name))
                        .filter(Files::isExecutable)
                        .findFirst(),
                "%s is not here: install Debian's package %s".formatted(name, debian));
    }

    /// The same for a Python that can import a module; returns the program's name.
    public static String python(String module, String debian) throws Exception {
        Optional<String> found = Optional.empty();
        for (String python : List.of("python3", "/usr/bin/python3")) {
            if (found.isEmpty() && imports(python, module)) {
                found = Optional.of(python);
            }
        }
        return required(found, "there is no Python with %s: install Debian's package %s".formatted(module, debian));
    }

    private static boolean imports(String python, String module) throws Exception {
        try {
            Process process = new ProcessBuilder(python, "-c", "import " + module)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(5, TimeUnit.MINUTES) && process.exitValue() == 0;
        } catch (IOException noSuchProgram) {
            return false;
        }
    }

    /// Skips the test if what it needs is missing; fails it if CI=true.
    public static <T> T required(Optional<T> found, String missing) {
        if ("true".equals(System.getenv("CI"))) {
            assertThat(found).as(missing).isPresent();
        }
        assumeTrue(found.isPresent(), missing);
        return found.orElseThrow();
    }
}
